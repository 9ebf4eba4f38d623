package dev.claimstream.allocation.cell;

/** What happens to the text of a pending item if its reason stays the same. */
enum TextPolicy {
    /** The text stays. */
    KEEP,
    /** The text is replaced if it differs. */
    REPLACE
}
