/** Ends before it has begun. */
process.exit(1);
