package dev.claimstream.allocation.solver;

/** What a request says of a device, before anybody asks whether it is free. */
enum Verdict {
    /** A selector refuses it, its node selection does, or it has not what is asked of its capacities. */
    NO(0),
    /** It fits. */
    YES(1),
    /** It would fit, but carries a taint that the request does not tolerate. */
    TAINTED(2),
    /** A selector failed on it, or an amount that cannot be reckoned with. */
    FAILED(3),
    /** It would fit, but cannot be given to anybody: it needs a gate that is off. */
    BARRED(4);

    /** A number for keys. */
    final int code;

    Verdict(int code) {
        this.code = code;
    }
}
