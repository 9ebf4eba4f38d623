package dev.claimstream.load.beside;

/** Who allocates the claims. The pods are always bound by the stock scheduler. */
enum Who {
    /** The stock scheduler, by itself. */
    STOCK("stock"),
    /** What does the writes of our protocol and decides nothing. */
    NEXT_FREE("next-free"),
    CLAIMSTREAM("claimstream");

    private final String text;

    Who(String text) {
        this.text = text;
    }

    /** What it is called in options and tables, and its process in what is measured. */
    String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
