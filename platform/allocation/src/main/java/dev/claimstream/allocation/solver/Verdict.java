package dev.claimstream.allocation.solver;

/** What a request says of a device, before anybody asks whether it is free. */
enum Verdict {
    /** A selector refuses it, or its node selection does. */
    NO(0),
    /** It fits. */
    YES(1),
    /** It would fit, but carries a taint that the request does not tolerate. */
    TAINTED(2),
    /** A selector failed on it. */
    FAILED(3);

    /** A number for keys. */
    final int code;

    Verdict(int code) {
        this.code = code;
    }
}
