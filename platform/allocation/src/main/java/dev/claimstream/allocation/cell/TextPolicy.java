package dev.claimstream.allocation.cell;

/** What happens to the text of a pending item whose reason code stays the same. */
enum TextPolicy {
    /** The text stays as it is. */
    KEEP,
    /** The text is replaced if it differs. */
    REPLACE
}
