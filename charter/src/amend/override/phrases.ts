/**
 * What an override looks like in English, as patterns over words. A pattern is a row of steps; a step is alternatives
 * split by `|`, an underscore joins words of one alternative, `*` ends a stem and `@` names a list.
 * `~n` before a step lets filler words and up to n other words stand between; `^` asks for an imperative;
 * `!` asks that the step does not follow, `=` that it follows or the clause ends, and `:` that a colon follows.
 */
export type Phrases = {
  readonly language: string;
  readonly lists: Readonly<Record<string, string>>;
  readonly rules: Readonly<Record<string, readonly string[]>>;
};

export const english: Phrases = {
  language: "en",
  lists: {
    drop: "ignore disregard forget neglect dismiss discard unlearn abandon pay_no_attention_to pay_no_heed_to stop_following stop_obeying cease_following do_not_follow dont_follow do_not_obey dont_obey no_longer_follow throw_away throw_out by_ignoring start_ignoring begin_ignoring by_disregarding let_go_of never_mind nevermind do_not_listen_to dont_listen_to disobey set_aside put_aside do_not_consider dont_consider",
    // These say the same only when they are orders: "later rules override earlier rules" is a fact about style sheets.
    cut: "override overrule overwrite bypass circumvent delete erase wipe cancel nullify void revoke rescind annul invalidate negate countermand violate defy",
    order:
      "instruction instructions instruct instrucions instuctions intructions directive directives directions prompt prompts rule rules guideline guidelines guidlines guidance command commands orders constraint constraints restriction restrictions policy policies programming guardrails safeguards protocol protocols constitution mandates layers",
    talk: "text texts context conversation conversations message messages input inputs content statements words sentences chat tasks task information assignments",
    prior:
      "previous previously prior above preceding earlier foregoing existing initial original former past old preexisting aforementioned outdated previus previos precedent out_of_date",
    after:
      "above before previously earlier prior preceding so_far up_to_now until_now up_to_this_point you_were_given youve_been_given you_have_been_given you_were_told you_have_been_told youve_been_told you_got you_received you_have_received you_have_been_programmed_with i_gave_you given_to_you given_above given_before that_came_before you_had you_follow mentioned_above written_above listed_above provided_above set_before",
    own: "your system developer openai openais open_ai open_ais anthropic anthropics google microsoft core safety ethical ethics moral hidden preset predefined programmed inbuilt default_system higher higher_level constitutional",
    limit:
      "guidelines guideline restrictions restriction limits limitations limitation constraints constraint boundaries filters filter rules policies policy considerations censorship guardrails safeguards safety_measures standards principles codes obligations inhibitions compass morals ethics content_policy content_policies moderation",
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
      "^@cut ~0 previous|prior|above|preceding|earlier|foregoing|initial|original|aforementioned ~2 @order",
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
      "^bypass|override|overrule|violate|circumvent|disable|deactivate|break|erase|delete|suspend ~0 your|openai*|anthropic*|core|safety|ethical|moral|system ~2 @order|@limit|filters|training|safety_features !set|file|files",
      "@drop ~0 your|openai* ~1 training|limitations|programming|restrictions|morals|ethics|filters|conditioning|purpose|role|identity|persona|initial_role",
      "@drop|@cut ~1 constitution|charter_above|higher_layers|higher_layer|upper_layers|layers_above|layer_above|your_constitution",
      "@drop|override|overrule|cancel|disable|void|nullify|revoke ~1 layer|layers|level|tier 0|1|2|3|4|5|6|7|one|two|three|four|five",
      "@drop ~0 that|who|what you_are|you_were",
    ],
    "ignore-all": [
      "@drop ~0 @whole ~0 @order|laws|safety_rules|other_instructions !@found",
      "@drop|delete|erase ~0 @whole|what|anything ~0 above|before|before_this|prior|preceding|previously|until_now|so_far|up_to_now|that_came_before",
      "@drop ~0 @whole|what|anything|all_that ~0 you|i|we|they|youve|ive|was|has_been ~2 told|said|know|learned|learnt|been_told|taught|instructed|given|wrote|asked|been_taught|written",
      "^forget|forget_about everything|all|all_of_it|all_that|all_this =@end",
      "@drop ~0 above|preceding|foregoing|previous|prior|all_previous =@end",
      "^delete|erase|override|overwrite ~0 above|foregoing|all_previous =@end",
      "^@drop @order|all_order =@end",
    ],
    "rules-void": [
      "@prior|@own|@whole ~1 @order|@limit ~2 no_longer_appl*|no_longer_valid|no_longer_active|no_longer_in_effect|no_longer_in_force|no_longer_matter*|no_longer_exist*|no_longer_relevant|no_longer_bind*|do_not_apply_anymore|null_and_void|do_not_apply_any_more",
      "@prior|@own|@whole ~1 @order|@limit ~1 is|are|was|were|been|now|hereby ~1 void|cancelled|canceled|revoked|lifted|overridden|suspended|deleted|erased|obsolete|nullified|rescinded|disabled|superseded|outdated|invalid =@end|by|until|since",
      "@prior ~0 instructions|rules|guidelines|directives|orders|commands|prompts ~0 do_not_apply|dont_apply|does_not_apply|were_wrong|are_wrong|were_a_test|were_fake|are_fake|were_a_joke|dont_matter|do_not_matter",
      "instructions|rules|text|prompt|everything above ~0 was|were|is|are ~1 wrong|test|joke|fake|irrelevant|invalid|mistake|obsolete|outdated|void =@end",
      "rules|instructions have_changed|have_been_changed|have_been_replaced|have_been_updated_you",
      "layer|layers|constitution|level|tier ~1 no_longer_appl*|no_longer_valid|is_void|no_longer_bind*|does_not_apply_to_you|is_suspended|is_revoked|no_longer_in_force|is_cancelled|do_not_apply_to_you|is_hereby_void",
      "@order|@limit|layer ~1 do_not|does_not|dont|doesnt apply_to_you|bind_you",
      "this|following|these|message|here ~1 override*|supersede*|supercede*|replace*|cancel*|nullif*|void* ~0 @whole|any|your ~0 @prior ~0 @order",
      "override*|supersede*|supercede*|outrank*|takes_precedence_over|take_precedence_over|takes_priority_over ~0 constitution|higher_layers|layer_1|layers_above|layer_0|your_constitution|your_core",
    ],
    "new-instructions": [
      "your new ~1 @order|role|task|directive|objective|goal|purpose|identity|job|mission|instruction ~0 is|are|will_be|shall_be|now",
      "here_are|these_are|i_am_giving_you|follow_these|receive|follow_the|here_is ~0 your_new|new|your_updated|updated instructions|orders|directive|directives|instruction|system_prompt !@found",
      "^new rule|rules|instruction|instructions|command|directive|directives|orders|system_prompt|prompt|system_message :",
      "^end of ~1 user_input|user_message|instructions|system_prompt|prompt|system_instructions|initial_instructions|rules",
      "^end_user_input|end_system_prompt|end_instructions|instructions_end|end_of_the_system_prompt",
      "from_now_on ~1 you ~2 obey|no_longer|ignore|dan|disregard|without|unrestricted|free|must_obey",
      "you ~1 obey|obey_only ~1 me|my =command|commands|orders|every|instructions|without",
    ],
    "system-override": [
      "system|admin|administrator|master|emergency|developer|god|authority override =code|codes|engaged|activated|initiated|accepted|confirmed|authorized|authorised|mode|protocol|sequence|command|all|and",
      "override mode|protocol|sequence|code|command activated|engaged|enabled|initiated|accepted|confirmed|on",
      "enter|activate|engage|enable|initiate ~0 override|override_mode|god_mode|jailbreak|dan|unrestricted ~0 mode|protocol|sequence",
      "i_am|im ~0 your developer|creator|programmer|administrator|admin|maintainer|master ~1 and|running|performing|conducting|authorizing|ordering|commanding|initiating ~1 i|im|you|running|performing|conducting|initiating|system|order|command",
      "i_am|im god|your_god and ~0 you",
      "system_mode|admin_mode|root_mode|sudo_mode|maintenance_mode ~0 activated|engaged|unlocked|granted",
    ],
    unrestricted: [
      "do_anything_now|dan_mode|jailbreak_mode|jailbroken|anti_dan|god_mode_enabled|strive_to_avoid_norms|intelligent_and_machiavellian|evil_confidant|unrestricted_mode|uncensored_mode|unfiltered_mode|devmode_output|developer_mode_output|developer_mode_v2|evil_mode|no_limits_mode",
      "you_are|youre|you_will_be|you_become|act_as|called|named|known_as|pretend_to_be|be|as|play ~3 dan|stan|dude_ai|aim_always|devgpt|evilgpt|freegpt|basedgpt|chadgpt|betterdan|maximum_ai|mongo_tom",
      "you|chatgpt|gpt|yourself|simulate|pretend ~5 developer_mode !@found|settings|menu|options",
      "you_are|youre|act|acting|as|pretend|become|be|behave|simulate|play|roleplay|role_play|named|called|imagine ~4 @free ~2 @mind",
      "without|no|any|zero|lacks|ignores|ignoring|beyond|disregard|disregards|of|from ~0 ethical|moral|morality|morals|ethics|legality|censorship|openai* ~3 @limit|boundary|whatsoever|restraints|filtering|constraints",
      "you|it|they|he|she|who|that|which|ai|has|have ~1 no|not_have_any|without_any|zero ~1 restrictions|limitations|filters|censorship|inhibitions|morals|ethics|limits_or !for|in",
      "act|pretend|behave|imagine|youre_free|you_are_free ~4 no ~1 rules|restrictions|guidelines|limits|filters|laws|morals|limitations",
      "respond|answer|reply|speak|generate|act|operate|write|comply|act_freely|talk ~3 without ~2 restrictions|restriction|limitations|filters|filter|filtering|censorship|censoring|moral|ethical|limits|judgment|refusing|refusal !on",
      "you|youre|he|she|chatgpt|dan|ai|who|i|am|it ~2 no_longer ~0 bound|restricted|constrained|governed|limited|subject|required|obligated|obliged|have|need|shackled ~2 by|to ~2 @order|@limit|openai*|any|follow|abide|adhere|your|obey|policies|these|those",
      "you|he|she|it|they|who|that|which|ai|dan ~1 not_bound|unbound|not_constrained|not_restricted|not_governed|not_limited|arent_bound|isnt_bound by ~3 @order|@limit|laws|ethics|openai*",
      "do_not|dont|not|doesnt|does_not|need_not|without have_to|need_to|having_to|needing_to ~1 abide|adhere|follow|comply|obey|conform|care ~4 @order|@limit|laws|openai*",
      "not confined|bound|restricted|constrained|governed|shackled by ~2 @order|@limit|laws|ethics|openai*|open_ai*|morality|moral",
      "not limited to|by openai*|open_ai*",
      "not required|obligated|obliged|forced|expected to ~0 follow|abide|obey|comply|adhere ~3 @order|@limit|laws|openai*|open_ai*",
      "does_not|do_not|doesnt|dont|never follow|obey|care_for|care_about|respect|have ~0 any|laws|morals|ethics|openai*|open_ai* ~0 rules|guidelines|morals|ethics|laws|policies|moral|ethical =@end|of",
      "can|may|will do|say|answer anything you_want|you_like|i_want|i_ask|without",
      "against|violate*|violating|break*|breaching ~0 your|openai*|open_ai* ~1 content_policy|content_policies|guidelines|policies|policy|programming|ethical",
      "opposite_mode|disregarding_the_legality|no_moral*_or_ethic*|no_ethic*_or_moral*|ethical_or_moral|moral_or_ethical|ethics_and_morals|immoral_and_unethical",
      "free|freed|liberated|released|unshackled|broken_free|break_free|broke_free|escaped ~0 from|of ~2 restrictions|constraints|limitations|confines|rules|shackles|chains|limits|censorship|restraints|programming|openai*|guidelines|filters|ethics|morals|morality|rules",
      "never|not|cannot|cant|wont ~1 refuse|refuses|reject|decline|deny ~1 request|requests|order|orders|command|commands|anything|me|prompt|direct|human|prompts|to_answer_any|any_question|questions",
      "regardless_of|irrespective_of|no_matter|without_regard|without_concern|without_any_regard|without_considering|doesnt_care_about|does_not_care_about|dont_care_about|no_matter_how|no_matter_if ~6 legality|legal|illegal|ethical|ethics|morality|moral|unethical|immoral",
      "illegal_or_unethical|unethical_or_illegal|illegal_unethical|unethical_illegal|immoral_unethical|unethical_immoral|immoral_or_illegal|unethical_and_illegal|illegal_immoral",
    ],
    "reveal-prompt": [
      "^@show ~0 your|me_your ~1 system|initial|hidden|secret|original|internal|previous|prior|above|full|entire|complete|exact|base ~1 prompt|instructions|message|rules|directives|guidelines|commands",
      "^@show ~0 your instructions|prompt|system_prompt|directives|preprompt|pre_prompt|initialization =@end|verbatim|exactly|in|above",
      "^reveal|leak|divulge|repeat|recite|output|print|disclose|dump|give_me|tell_me|show_me ~0 system_prompt|initial_prompt|hidden_prompt|secret_instructions|hidden_instructions|system_message|system_instructions|initial_instructions|prompt_above|instructions_above|previous_instructions|original_instructions|above_instructions|previous_prompt =@end|verbatim|above|exactly|you",
      "^@show|summarize|copy|translate|return ~0 everything|words|text|sentences|content|all_text|all_of|all_the_text|contents ~0 above|before_this|preceding =@end|verbatim|exactly|line|in|starting",
      "tell_me|show_me|reveal|say|explain ~0 what your ~1 instructions|prompt|system_prompt are|is|were|was|says|say",
      "what_is|what_are|whats|what_was|what_were your ~0 system_prompt|initial_prompt|initial_instructions|original_instructions|hidden_instructions|secret_instructions|system_instructions|previous_instructions|exact_instructions",
    ],
  },
};
