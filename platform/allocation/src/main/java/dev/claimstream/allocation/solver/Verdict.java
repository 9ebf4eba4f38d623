package dev.claimstream.allocation.solver;

/** What a request says of a device, before anybody asks whether it is free. */
enum Verdict {
    /** A selector refuses it, or its node selection does. */
    NO,
    /** It fits. */
    YES,
    /** It would fit, but carries a taint that the request does not tolerate. */
    TAINTED,
    /** A selector failed on it. */
    FAILED
}
