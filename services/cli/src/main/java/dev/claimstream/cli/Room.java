package dev.claimstream.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** What is free on the disk of a folder. */
final class Room {
    /** What a start takes, and what waited for it: 5 MB on an empty folder, and 22 MB were seen. */
    static final int FOR_A_START_MB = 64;

    /** The etcd of a control plane takes 64 MB for each of two files before it writes to them, and gives them back at its end. */
    static final int FOR_A_CONTROL_PLANE_MB = 256;

    private static final int MB = 1 << 20;

    /** What a disk without room says to whoever writes; in another language only its figures tell. */
    private static final String SIGN = "No space left on device";

    private final Path folder;
    private final int neededMb;

    /** @param neededMb with less nothing is started */
    Room(Path folder, int neededMb) {
        this.folder = folder;
        this.neededMb = neededMb;
    }

    int neededMb() {
        return neededMb;
    }

    /** What is thrown where a folder is on a full disk. */
    static IOException none(Path folder) {
        return new FileSystemException(folder.toString(), null, SIGN);
    }

    /**
     * Whether this was thrown because the disk was full, if only for a moment. Where there is too little for a start that is supposed, if nothing else
     * is said.
     */
    boolean isMissingFor(Throwable thrown) {
        return isSaidBy(thrown) || (isUnexplained(thrown) && !isEnough(free().orElse(Long.MAX_VALUE)));
    }

    private static boolean isUnexplained(Throwable thrown) {
        return !(thrown instanceof RunFailure failure) || failure.isOfPart();
    }

    private boolean isEnough(long bytes) {
        return bytes >= (long) neededMb * MB;
    }

    private static boolean isSaidBy(Throwable thrown) {
        return Stream.iterate(Optional.of(thrown), Optional::isPresent, each -> each.map(Throwable::getCause))
                .flatMap(Optional::stream)
                .limit(100) // a chain may lead back into itself
                .anyMatch(each -> String.valueOf(each.getMessage()).contains(SIGN));
    }

    /** Whether there is enough to start: files can be written, and there is space for them. */
    boolean isThere() {
        return isEnough(free().orElse(0)) && isWritable();
    }

    /** A disk may have space and no place for the name of a file. */
    private boolean isWritable() {
        try {
            Path probe = Files.createTempFile(folder, "claimstream-", "");
            try {
                Files.write(probe, new byte[MB]);
            } finally {
                Files.delete(probe);
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private OptionalLong free() {
        try {
            return OptionalLong.of(Files.getFileStore(folder).getUsableSpace());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** How it stands, in words. */
    String text() {
        OptionalLong free = free();
        if (free.isEmpty()) {
            return "the disk of %s cannot be seen".formatted(folder);
        }
        return free.getAsLong() < MB
                ? "the disk of %s is full, %d KB are free".formatted(folder, free.getAsLong() >> 10)
                : "the disk of %s has %d MB free".formatted(folder, free.getAsLong() / MB);
    }
}
