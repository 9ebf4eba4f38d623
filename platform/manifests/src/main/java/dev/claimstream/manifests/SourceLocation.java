package dev.claimstream.manifests;

/**
 * A location in a manifest file.
 *
 * @param file as the user named it, {@code -} for standard input
 * @param line from 1; 0 for the whole file
 * @param column from 1; 0 for the whole line
 */
public record SourceLocation(String file, int line, int column) {
    public static SourceLocation of(String file) {
        return new SourceLocation(file, 0, 0);
    }

    @Override
    public String toString() {
        return line == 0 ? file : file + ":" + line;
    }
}
