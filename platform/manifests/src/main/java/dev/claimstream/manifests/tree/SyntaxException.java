package dev.claimstream.manifests.tree;

/** A text that cannot be read further: what is wrong, where, and what helps. */
public final class SyntaxException extends Exception {
    private static final long serialVersionUID = 1;

    private final String problem;
    private final int line;
    private final int column;
    private final String remedy;

    /** The rest of the document is lost from this line (from 1) on. */
    public SyntaxException(int line, int column, String problem, String remedy) {
        super(problem);
        this.problem = problem;
        this.line = line;
        this.column = column;
        this.remedy = remedy;
    }

    /** What is wrong. */
    public String problem() {
        return problem;
    }

    /** The line, from 1. */
    public int line() {
        return line;
    }

    /** The column, from 1. */
    public int column() {
        return column;
    }

    /** What helps. */
    public String remedy() {
        return remedy;
    }
}
