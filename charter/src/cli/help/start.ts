export const help = `charter start: the demo assistant

  charter start                          its prompt, and what each section costs`;
