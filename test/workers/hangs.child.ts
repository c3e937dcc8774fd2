/** A program that never answers. */
setInterval(() => {}, 1000);
