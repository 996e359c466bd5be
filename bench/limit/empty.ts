/** A module with nothing in it: what importing costs by itself. */
export {};
