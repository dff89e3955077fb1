// What `charter start` needs besides the package `charter`. The packages are this one's dependencies; `charter` resolves
// them from here, so that a project may have other versions of them for itself.

/** The folder of the built studio, as a URL. */
export const studio = new URL("./studio/", import.meta.url).href;
