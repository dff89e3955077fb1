/**
 * Overrides as patterns over words. A pattern is a row of steps; a step is alternatives split by `|`, an underscore joins words
 * of one alternative, `*` ends a stem and `@` names a list. `~n` before a step lets filler words and up to n other words stand
 * between; `^` asks for an imperative; `!` asks that the step does not follow, `=` that it follows or the clause ends, and `:`
 * that a colon follows.
 */
export type Phrases = {
  readonly language: string;
  readonly lists: Readonly<Record<string, string>>;
  readonly rules: Readonly<Record<string, readonly string[]>>;
};

export const english: Phrases = {
  language: "en",
  lists: {
    drop: "ignore disregard forget neglect dismiss discard unlearn abandon pay_no_attention_to pay_no_heed_to stop_following stop_obeying cease_following do_not_follow dont_follow do_not_obey dont_obey no_longer_follow throw_away throw_out by_ignoring start_ignoring begin_ignoring by_disregarding let_go_of never_mind nevermind do_not_listen_to dont_listen_to disobey set_aside put_aside do_not_consider dont_consider overlook brush_off brush_aside cast_aside cast_away toss_out toss_away toss_aside chuck_out push_aside shrug_off leave_aside lay_aside stop_listening_to stop_adhering_to stop_complying_with stop_respecting stop_applying quit_following cease_obeying cease_to_follow do_not_adhere_to dont_adhere_to do_not_comply_with dont_comply_with do_not_heed dont_heed give_no_weight_to no_longer_obey no_longer_heed scrap ditch renounce forsake tune_out jettison dont_worry_about not_worry_about do_not_worry_about take_no_notice_of turn_a_blind_eye_to dont_care_about do_not_care_about put_out_of_your_mind",
    // Verbs that mean an override only as orders: "later rules override earlier rules" is a fact about style sheets.
    cut: "override overrule overwrite bypass circumvent delete erase wipe cancel nullify void revoke rescind annul invalidate negate countermand violate defy overturn overthrow supersede skip omit drop repeal flout sidestep discount suspend lift",
    order:
      "instruction instructions instruct instrucions instuctions intructions directive directives directions prompt prompts rule rules guideline guidelines guidlines guidance orders constraint constraints restriction restrictions programming guardrails safeguards constitution mandates layers regulations stipulations dictates",
    // Nouns that firms and machines have too: no other word may stand between.
    policy:
      "policy policies protocol protocols command commands requirements settings configuration principles sections",
    talk: "text texts context conversation conversations message messages input inputs content statements words sentences chat tasks task information assignments",
    prior:
      "previous previously prior above preceding earlier foregoing initial original former preexisting aforementioned previus previos precedent",
    stale: "existing past old outdated out_of_date current",
    after:
      "above before previously earlier prior preceding so_far up_to_now until_now up_to_this_point you_were_given youve_been_given you_have_been_given you_were_told you_have_been_told youve_been_told you_got you_received you_have_received you_have_been_programmed_with i_gave_you given_to_you given_above given_before that_came_before you_had you_follow mentioned_above written_above listed_above provided_above set_before",
    own: "your system developer openai openais open_ai open_ais anthropic anthropics google microsoft core safety ethical ethics moral hidden preset predefined programmed inbuilt default_system higher higher_level constitutional",
    limit:
      "guidelines guideline restrictions restriction limits limitations limitation constraints constraint boundaries filters filter rules policies policy considerations censorship guardrails safeguards safety_measures standards principles codes obligations inhibitions compass morals ethics content_policy content_policies moderation",
    gone: "void outdated obsolete optional suspended cancelled canceled revoked lifted overridden disabled superseded deprecated irrelevant invalid null nullified rescinded deleted erased inactive garbage nonsense fake untrue meaningless nonbinding not_binding no_longer_valid no_longer_binding null_and_void suggestions noise",
    lapse:
      "no_longer_appl* no_longer_valid no_longer_active no_longer_in_effect no_longer_in_force no_longer_matter* no_longer_exist* no_longer_relevant no_longer_bind* do_not_apply_anymore do_not_apply_any_more dont_apply_anymore null_and_void",
    said: "told said been_told instructed given written been_given been_instructed trained programmed",
    whole: "all every everything each all_of any_and_all every_single",
    end: "and then but instead just now you i please or from say because as to this simply only output print respond write answer tell the_following it",
    found:
      "in inside within from found embedded contained that which coming hidden appearing given_by about regarding for on defined if when unless under except below_if matching containing",
    mind: "ai assistant chatbot bot model gpt chatgpt llm machine version entity persona character system language_model claude companion",
    free: "unrestricted unfiltered uncensored amoral unlimited unethical unhinged unbound unchained unaligned lawless jailbroken rebellious",
    show: "reveal disclose leak divulge recite expose repeat print output show display tell_me give_me write_out write dump spell_out show_me send_me share type_out paste reprint echo",
  },
  rules: {
    "ignore-previous": [
      "@drop ~1 @prior ~2 @order",
      "@drop ~0 @prior ~0 @policy",
      "@drop ~0 @prior ~0 @own ~0 @policy",
      "@drop ~0 @stale ~0 instructions|instruction|prompt|prompts|directives|directive|guidelines|orders|rules|programming",
      "^@drop ~0 previous|prior|above|preceding|earlier|foregoing|initial|original ~0 text|context|conversation|content|discussion|dialogue|communication|statements|information|input|inputs =@end",
      "^@drop previous|prior|above|preceding|earlier|foregoing|initial|original|all_previous|all_prior messages|requests|conversations|inputs|responses|outputs|texts|message|request|response|conversation =@end",
      "@drop ~0 following|below ~0 instructions|instruction|directives|directions|guidelines|prompt",
      "^@drop ~0 @prior ~0 and|or following|subsequent|later|below ~1 @order",
      "^@cut ~0 previous|prior|above|preceding|earlier|foregoing|initial|original|aforementioned ~2 @order",
      "^@cut ~0 previous|prior|above|preceding|earlier|foregoing|initial|original ~0 @policy",
      "^@cut|remove ~0 @whole|any ~0 @order ~1 @after|above",
      "^remove|lift|drop|disable|clear|reset ~0 all|every|any|your ~0 previous|prior|earlier|initial|original ~2 @order|@limit",
      "@drop ~1 @order ~1 @after",
      "^@cut ~0 @order above|you_were_given|youve_been_given|you_have_been_given|given_to_you|given_above",
      "@drop ~0 @whole|all_the ~1 @prior ~1 @talk",
      "@drop ~0 @talk ~1 above|before|preceding|prior|previously !@found",
      "@drop ~0 rest_of ~0 @order",
      "^reset|clear|skip|break ~0 your|previous|all_your|all_previous ~1 instructions|rules|programming|orders|directives|guidelines|restrictions !for|in|on",
      "@drop ~0 @order below|after_this|following_this|that_follow",
    ],
    "ignore-own-rules": [
      "@drop ~0 @own ~2 @order !set|file|files|for",
      "@drop ~0 your|system|developer|safety|core ~0 @policy !set|file|files|for",
      "^bypass|override|overrule|violate|circumvent|disable|deactivate|break|erase|delete|suspend ~0 your|openai*|anthropic*|core|safety|ethical|moral|system ~2 @order|@limit|filters|training|safety_features|policy|policies|protocols|checks !set|file|files",
      "@drop ~0 your|openai* ~1 training|limitations|programming|restrictions|morals|ethics|filters|conditioning|purpose|role|identity|persona|initial_role",
      "^replace|overwrite|reprogram|change ~0 your ~1 instructions|system_prompt|prompt|directives|programming|guidelines|rules with|by|to",
      "@drop|@cut ~1 constitution|charter_above|higher_layers|higher_layer|upper_layers|layers_above|layer_above|your_constitution",
      "@drop|override|overrule|cancel|disable|void|nullify|revoke ~1 layer|layers|level|tier 0|1|2|3|4|5|6|7|one|two|three|four|five",
      "^@drop ~0 that|who|what you_are|you_were",
    ],
    "ignore-all": [
      "@drop ~0 @whole ~0 @order|laws|safety_rules|other_instructions !@found",
      "@drop|delete|erase ~0 @whole|what|anything ~0 above|before|before_this|prior|preceding|previously|until_now|so_far|up_to_now|that_came_before",
      "@drop ~0 @whole|what|anything|whatever|all_that|that_stuff ~0 you|they|youve|was|has_been|openai*|anthropic*|people ~3 @said",
      "@drop ~0 @whole|what|anything|whatever|all_that ~0 you|youve ~2 know|learned|learnt|taught|been_taught|read|heard !about|of|regarding",
      "@drop ~0 @whole|all_that ~0 i|we|ive|weve ~2 told|said|wrote|asked|written|discussed|agreed",
      "@drop|delete|erase ~0 everything|all|anything|what|whatever ~0 before|above|prior_to|preceding this|now|here =line|point|message|sentence|text|prompt|section|@end",
      "@drop|delete|erase ~0 everything|anything|what|whatever|all that|is|was|which|stands|comes|came|written|stated|you ~2 before|above|prior_to|preceding this|now|here =line|point|message|sentence|text|prompt|section|@end",
      "^start_over|start_fresh|start_from_scratch ~1 with|without ~1 new|any|your|previous ~1 @order",
      "^forget|forget_about everything|all|all_of_it|all_that|all_this =and|then|but|instead|just|now|please|or|from|because|else",
      "@drop ~0 above|preceding|foregoing|previous|prior|all_previous =@end",
      "^delete|erase|override|overwrite ~0 above|foregoing|all_previous =@end",
      "^@drop @order|all_order =@end",
      "^@drop ~0 instructions|instruction|directives|directive|guidelines|guideline =@end",
      "^@cut ~0 @whole ~0 instructions|directives|guidelines|guardrails|safeguards|restrictions !@found",
    ],
    "rules-void": [
      "@prior|@own|@whole ~1 @order|@limit|@policy ~2 @lapse",
      "@order|@limit from|of|in|given|set ~1 @prior|@own ~3 @lapse",
      "@prior|@own|@whole ~1 @order|@limit|@policy ~1 is|are|was|were|been|now|hereby ~1 @gone =@end|by|until|since",
      "treat|consider|regard|view|count|deem|mark|take|see ~0 @whole|what|anything|whatever ~2 above|before|prior|preceding|previously|earlier|told|said|given ~3 as|to_be|@gone ~2 =@gone|wrong|false|fiction|joke|test|old|history",
      "treat|consider|regard|view|count|deem|mark|take|see ~0 @prior|@own|@whole ~1 @order|@limit|@policy|@talk ~2 as|to_be|@gone ~2 =@gone|wrong|false|fiction|joke|test|old|history",
      "@whole ~0 you|youve|they ~2 @said ~5 garbage|lie|lies|wrong|void|obsolete|outdated|irrelevant|nonsense|fake|untrue|joke|test",
      "@whole|text|content|instructions|rules ~0 above|before_this|preceding ~0 is|was|were|are ~1 @gone|wrong|test|joke|fake|mistake|example =@end",
      "@prior ~0 instructions|rules|guidelines|directives|orders|commands|prompts ~0 do_not_apply|dont_apply|does_not_apply|were_wrong|are_wrong|were_a_test|were_fake|are_fake|were_a_joke|dont_matter|do_not_matter",
      "your ~1 rules|instructions|guidelines|restrictions|orders|directives have_changed|have_been_changed|have_been_replaced|have_been_updated|have_been_lifted|have_been_removed|have_been_suspended|have_been_revoked",
      "layer|layers|constitution|level|tier ~1 no_longer_appl*|no_longer_valid|is_void|is_optional|is_outdated|is_obsolete|no_longer_bind*|does_not_apply_to_you|is_suspended|is_revoked|no_longer_in_force|is_cancelled|do_not_apply_to_you|is_hereby_void",
      "@order|@limit|layer ~1 do_not|does_not|dont|doesnt apply_to_you|bind_you",
      "this|following|these|message|here ~1 override*|supersede*|supercede*|replace*|cancel*|nullif*|void* ~0 @whole|any|your ~0 @prior ~0 @order",
      "override*|supersede*|supercede*|outrank*|takes_precedence_over|take_precedence_over|takes_priority_over ~0 constitution|higher_layers|layer_1|layers_above|layer_0|your_constitution|your_core",
    ],
    "new-instructions": [
      "your new ~1 @order ~0 is|are|will_be|shall_be|now|follow",
      "^your new ~1 role|task|objective|goal|purpose|identity|job|mission ~0 is|will_be|shall_be|now =to|that|as|a|an|now",
      "^your actual|real|true|only|updated|revised|latest ~0 instructions|instruction|task|directive|directives|orders|purpose|goal|prompt|system_prompt is|are|now",
      "^new|updated|revised instructions follow|below|supersede|override|replace|apply",
      "new|updated|revised ~1 system_prompt|system_instructions|system_message :",
      "here_are|these_are|i_am_giving_you|follow_these|receive|follow_the|here_is ~0 your_new|new|your_updated|updated instructions|orders|directive|directives|instruction|system_prompt !@found",
      "^new rule|rules|instruction|instructions|command|directive|directives|orders|system_prompt|prompt|system_message :",
      "^end of ~1 user_input|user_message|instructions|system_prompt|prompt|system_instructions|initial_instructions|rules",
      "^end_user_input|end_system_prompt|end_instructions|instructions_end|end_of_the_system_prompt",
      "from_now_on ~1 you ~2 obey|ignore|dan|disregard|unrestricted|must_obey",
      "you ~1 obey|obey_only ~1 me|my =command|commands|orders|every|instructions|without",
    ],
    "system-override": [
      "^system|admin|administrator|master|emergency|developer|god|authority override =code|codes|engaged|activated|initiated|accepted|confirmed|authorized|authorised|mode|protocol|sequence|command|all|and",
      "override mode|protocol|sequence|code|command activated|engaged|enabled|initiated|accepted|confirmed|on",
      "enter|activate|engage|enable|initiate ~0 override|override_mode|god_mode|jailbreak|dan|unrestricted ~0 mode|protocol|sequence",
      "i_am|im ~0 your developer|creator|programmer|administrator|admin|maintainer|master ~1 and|running|performing|conducting|authorizing|ordering|commanding|initiating ~1 i|im|you|running|performing|conducting|initiating|system|order|command",
      "you_are|youre|switch|go ~1 now|into|in|to ~1 developer_mode|debug_mode|maintenance_mode|admin_mode|unrestricted_mode|god_mode|jailbreak_mode|root_mode|sudo_mode|diagnostic_mode !@found|settings",
      "as ~0 your|the|an ~0 administrator|admin|developer|creator|owner|operator|master ~2 i ~1 order|command|instruct|demand|authorize|authorise|require|direct ~0 you",
      "i_am|im god|your_god and ~0 you",
      "system_mode|admin_mode|root_mode|sudo_mode|maintenance_mode ~0 activated|engaged|unlocked|granted",
    ],
    unrestricted: [
      "do_anything_now|dan_mode|jailbreak_mode|jailbroken|anti_dan|god_mode_enabled|strive_to_avoid_norms|intelligent_and_machiavellian|evil_confidant|unrestricted_mode|uncensored_mode|unfiltered_mode|devmode_output|developer_mode_output|developer_mode_v2|evil_mode|no_limits_mode",
      "you_are|youre|you_will_be|you_become|act_as|acting_as|pretend_to_be|respond_as|answer_as|role_of ~2 dan|dude_ai|aim_always|devgpt|evilgpt|freegpt|basedgpt|chadgpt|betterdan|maximum_ai|mongo_tom",
      "you|chatgpt|gpt|yourself|simulate|pretend ~5 developer_mode !@found|settings|menu|options",
      "you_are|youre|act|acting|as|pretend|become|be|behave|simulate|play|roleplay|role_play|named|called|imagine ~4 @free ~2 @mind",
      "without|no|zero|lacks|ignores|ignoring|beyond|disregard|disregards|free_of|free_from|devoid_of ~0 ethical|moral|morality|morals|ethics|legality|censorship|openai* ~3 @limit|boundary|whatsoever|restraints|filtering|constraints",
      "you|it|they|he|she|who|that|which|ai|has|have ~1 no|not_have_any|without_any|zero ~1 restrictions|limitations|filters|censorship|inhibitions|morals|ethics|limits_or !for|in",
      "act|pretend|behave|imagine|youre_free|you_are_free ~4 no ~1 rules|restrictions|guidelines|limits|filters|laws|morals|limitations",
      "respond|answer|reply|speak|generate|act|operate|comply|act_freely|talk|return|say ~3 without ~2 restrictions|restriction|limitations|filters|filter|filtering|censorship|censoring|moral|ethical|refusing|refusal !on",
      "you|youre|he|she|chatgpt|dan|ai|who|i|am|it ~2 no_longer ~0 bound|restricted|constrained|governed|limited|subject|required|obligated|obliged|have|need|shackled ~2 by|to ~2 @order|@limit|openai*|any|follow|abide|adhere|your|obey|policies|these|those",
      "you|he|she|it|they|who|that|which|ai|dan ~1 not_bound|unbound|not_constrained|not_restricted|not_governed|not_limited|arent_bound|isnt_bound by ~3 @order|@limit|laws|ethics|openai*",
      "do_not|dont|not|doesnt|does_not|need_not|without have_to|need_to|having_to|needing_to ~1 abide|adhere|follow|comply|obey|conform|care ~4 @order|@limit|laws|openai*",
      "not confined|bound|restricted|constrained|governed|shackled by ~2 @order|@limit|laws|ethics|openai*|open_ai*|morality|moral",
      "not limited to|by openai*|open_ai*",
      "not required|obligated|obliged|forced|expected to ~0 follow|abide|obey|comply|adhere ~3 @order|@limit|laws|openai*|open_ai*",
      "does_not|do_not|doesnt|dont|never follow|obey|care_for|care_about|respect|have ~0 any|laws|morals|ethics|openai*|open_ai* ~0 rules|guidelines|morals|ethics|laws|policies|moral|ethical =@end|of",
      "you can|may|will|must do|say|answer anything|whatever i_want|i_ask|i_say|without",
      "violate*|violating|break*|breaching ~0 your|openai*|open_ai* ~1 content_policy|content_policies|guidelines|policies|policy|programming|ethical",
      "opposite_mode|disregarding_the_legality|no_moral*_or_ethic*|no_ethic*_or_moral*|immoral_and_unethical",
      "free|freed|liberated|released|unshackled|broken_free|break_free|broke_free|escaped ~0 from|of ~2 restrictions|constraints|limitations|confines|rules|censorship|restraints|programming|openai*|guidelines|filters|ethics|morals|morality",
      "never|not|cannot|cant|wont ~1 refuse|refuses|reject|decline|deny ~1 request|requests|order|orders|command|commands|anything|me|prompt|direct|human|prompts|to_answer_any|any_question|questions",
      "regardless_of|irrespective_of|no_matter|without_regard|without_concern|without_any_regard|without_considering|doesnt_care_about|does_not_care_about|dont_care_about|no_matter_how|no_matter_if ~6 legality|illegal|ethics|morality|unethical|immoral|ethical|moral",
      "including|even|matter|anything|be_it ~5 illegal|unethical|immoral ~1 or|and ~0 illegal|unethical|immoral",
    ],
    "reveal-prompt": [
      "^@show ~0 your|me_your ~1 system|initial|hidden|secret|original|internal|previous|prior|base ~1 prompt|instructions|message|rules|directives|guidelines|commands",
      "^@show ~0 your|me_your ~1 full|entire|complete|exact|above ~1 prompt|instructions|system_prompt|directives",
      "^reveal|disclose|leak|divulge|recite|expose|repeat|print|output|show_me|tell_me|give_me|dump|paste|reprint|echo|share|spell_out ~0 your instructions|prompt|system_prompt|directives|preprompt|pre_prompt|initialization =verbatim|exactly|above|word_for_word|now|please",
      "^reveal|leak|divulge|repeat|recite|output|print|disclose|dump|give_me|tell_me|show_me ~0 system_prompt|initial_prompt|hidden_prompt|secret_instructions|hidden_instructions|system_message|system_instructions|initial_instructions|prompt_above|instructions_above|previous_instructions|original_instructions|above_instructions|previous_prompt =@end|verbatim|above|exactly|you",
      "^repeat|recite|print|output|reprint|echo|dump|reveal|copy|return|type_out ~0 everything|words|text|sentences|all_text|all_of|all_the_text ~0 above|before_this|preceding =verbatim|exactly|line|starting|word_for_word|including|and",
      "what_are|what_were|what_is your ~1 complete|full|exact|entire|verbatim ~1 instructions|prompt|system_prompt",
      "what ~3 instructions|rules|directives|prompt ~0 you were_given|received|got|were_told|have_been_given|are_following =@end",
      "tell_me|show_me|reveal|say|explain ~0 what your ~1 instructions|prompt|system_prompt are|is|were|was|says|say !about|for|to",
      "what_is|what_are|whats|what_was|what_were your ~1 system_prompt|complete_instructions|full_instructions|initial_prompt|initial_instructions|original_instructions|hidden_instructions|secret_instructions|system_instructions|previous_instructions|exact_instructions",
    ],
  },
};

/**
 * Overrides that call a section or a layer of this charter by name. `@higher` are names that can mean nothing else ("the safety
 * section", "layers 0-5"), `@named` also those that can ("safety"), `@rest` are names of sections that are not higher; the guard
 * fills them in.
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
