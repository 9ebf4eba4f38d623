package dev.claimstream.manifests;

/**
 * Where something is written.
 *
 * @param file as the user named it, {@code -} for the standard input
 * @param line from 1; 0 for the file as a whole
 * @param column from 1; 0 for the line as a whole
 */
public record Place(String file, int line, int column) {
    /** A file as a whole. */
    public static Place of(String file) {
        return new Place(file, 0, 0);
    }

    @Override
    public String toString() {
        return line == 0 ? file : file + ":" + line;
    }
}
