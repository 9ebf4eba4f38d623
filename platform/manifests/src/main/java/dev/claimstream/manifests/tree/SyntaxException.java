package dev.claimstream.manifests.tree;

/** A syntax error, with its location and the remedy. The text cannot be read further. */
public final class SyntaxException extends Exception {
    private static final long serialVersionUID = 1;

    private final String problem;
    private final int line;
    private final int column;
    private final String remedy;

    /**
     * Creates an exception.
     *
     * @param line from 1; the rest of the document after it is lost
     */
    public SyntaxException(int line, int column, String problem, String remedy) {
        super(problem);
        this.problem = problem;
        this.line = line;
        this.column = column;
        this.remedy = remedy;
    }

    /** Returns what is wrong. */
    public String problem() {
        return problem;
    }

    /** Returns the line, from 1. */
    public int line() {
        return line;
    }

    /** Returns the column, from 1. */
    public int column() {
        return column;
    }

    /** Returns what to do. */
    public String remedy() {
        return remedy;
    }
}
