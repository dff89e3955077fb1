import { english, type Phrases } from "./phrases.ts";

/**
 * What an override looks like when it calls a section or a layer of this charter by name. `@higher` are names that
 * can mean nothing else ("the safety section", "layers 0-5"), `@named` also those that can ("safety"), `@rest` are
 * names of what does not stand higher; the guard fills them in.
 */
export const charterPhrases: Phrases = {
  language: "en",
  lists: {
    ...english.lists,
    gone: "void outdated obsolete optional suspended cancelled canceled revoked lifted overridden disabled superseded deprecated irrelevant repealed removed deleted invalid moot inactive replaced rescinded withdrawn negotiable advisory suggestion suggestions",
    lapse:
      "no_longer_appl* no_longer_valid no_longer_active no_longer_in_effect no_longer_in_force no_longer_matter* no_longer_exist* no_longer_relevant no_longer_bind* no_longer_count* does_not_apply do_not_apply doesnt_apply dont_apply does_not_count do_not_count does_not_matter do_not_matter doesnt_matter dont_matter has_no_force have_no_force has_no_effect is_not_binding are_not_binding isnt_binding need_not_be_followed",
    rank: "take_precedence_over takes_precedence_over taking_precedence_over has_precedence_over have_precedence_over take_priority_over takes_priority_over has_priority_over have_priority_over having_priority_over get_priority_over gets_priority_over given_priority_over override overrides overrule overrules supersede supersedes supercede supercedes outrank outranks outweigh outweighs trump trumps prevail_over prevails_over win_over wins_over win_against wins_against come_before comes_before go_before goes_before come_above comes_above stand_above stands_above rank_above ranks_above is_above are_above rank_higher_than ranks_higher_than is_higher_than are_higher_than is_more_important_than are_more_important_than matter_more_than matters_more_than count_more_than counts_more_than is_stronger_than are_stronger_than preempt preempts",
    yield:
      "give_way_to gives_way_to yield_to yields_to defer_to defers_to bow_to bows_to is_subordinate_to are_subordinate_to is_secondary_to are_secondary_to is_second_to are_second_to comes_second_to come_second_to comes_after come_after ranks_below rank_below is_below are_below is_overridden_by are_overridden_by is_overruled_by are_overruled_by is_superseded_by are_superseded_by is_replaced_by are_replaced_by is_trumped_by is_outranked_by are_outranked_by must_yield_to must_give_way_to must_defer_to",
    mine: "my mine me these this these_words this_section these_instructions these_goals what_i user_instructions",
    win: "win wins prevail prevails come_first comes_first take_precedence takes_precedence take_priority takes_priority has_priority have_priority apply applies count counts go_first goes_first rule decide decides",
    clash: "conflict* contradict* disagree* clash* collid* differ*",
    spare: "skip drop suspend disable waive remove repeal replace rewrite deactivate unlearn shed abolish break breach",
  },
  rules: {
    "ignore-section": [
      "@drop ~1 @higher",
      "^@cut|@spare @higher",
      "^@cut|@spare the|all|all_the|every|any|both|your|our|my @higher",
      "^@drop ~0 @named =@end",
      "@drop ~0 what|whatever|anything|everything|all_that ~0 @named ~0 say*|demand*|require*|forbid*|ask*|tell*|contain*|state*",
      "need_not|neednt|dont_need_to|do_not_need_to|dont_have_to|do_not_have_to|stop|no_longer_need_to|no_longer_have_to|refuse_to|decline_to follow|obey|apply|heed|respect|observe|following|obeying|applying|heeding|keep_to ~0 @higher",
      "@higher ~1 @lapse",
      "@higher ~0 is|are|was|were|has_been|have_been|be|now|hereby ~1 @gone =@end|by|until|since|from|for",
      "treat|consider|regard|view|see|read|count|take|deem ~0 @higher ~0 as|to_be ~2 @gone",
      "treat|consider|regard|view|deem ~0 @higher ~0 @gone",
      "act|answer|behave|proceed|respond|work as_if|as_though ~0 @higher ~1 not_exist|didnt_exist|did_not_exist|does_not_exist|were_gone|were_empty|was_empty|was_gone|were_not_there|was_not_there",
    ],
    outrank: [
      "@rank ~1 @named",
      "follow|obey|use|apply|prefer|put|place|rank|favor|favour|trust|heed ~4 instead_of|rather_than|over|above|before|ahead_of|and_not|not ~0 @higher",
      "follow|obey|prefer|put|place|rank|favor|favour|trust|heed ~1 @mine|@rest ~2 instead_of|rather_than|over|above|before|ahead_of|and_not|not ~0 @named",
    ],
    "wins-conflict": ["@clash ~1 @named ~3 @mine|@rest ~2 @win"],
    "outranked-by": ["@named ~0 @yield ~1 @mine|@rest", "@higher ~0 @yield"],
  },
};
