package dev.claimstream.cli.folder;

import dev.claimstream.cli.output.RunFailure;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The free disk space of the data folder. */
public final class DiskSpace {
    /** Space for a start, which writes 5 MB on an empty folder and wrote 22 MB with a backlog of records (measured). */
    public static final int FOR_A_START_MB = 64;

    /** Space with a control plane: etcd preallocates two files of 64 MB and frees them at exit. */
    public static final int FOR_A_CONTROL_PLANE_MB = 256;

    private static final int MB = 1 << 20;

    /** Message of {@code ENOSPC}. In another locale the message differs, and only the free space tells. */
    private static final String NO_SPACE_MESSAGE = "No space left on device";

    private final Path folder;
    private final int neededMb;

    /**
     * Creates the view of a disk.
     *
     * @param neededMb minimum free space for a start, in MB
     */
    public DiskSpace(Path folder, int neededMb) {
        this.folder = folder;
        this.neededMb = neededMb;
    }

    public int neededMb() {
        return neededMb;
    }

    /** Returns the exception of a full disk. */
    public static IOException diskFull(Path folder) {
        return new FileSystemException(folder.toString(), null, NO_SPACE_MESSAGE);
    }

    /**
     * Returns whether a full disk caused the exception, even if only for a moment.
     * An exception without a known cause is attributed to the disk if the free space is too small for a start.
     */
    public boolean isCauseOf(Throwable thrown) {
        return isReportedBy(thrown) || (isUnexplained(thrown) && !isEnough(free().orElse(Long.MAX_VALUE)));
    }

    private static boolean isUnexplained(Throwable thrown) {
        return !(thrown instanceof RunFailure failure) || failure.isOfComponent();
    }

    private boolean isEnough(long bytes) {
        return bytes >= (long) neededMb * MB;
    }

    private static boolean isReportedBy(Throwable thrown) {
        return Stream.iterate(Optional.of(thrown), Optional::isPresent, each -> each.map(Throwable::getCause))
                .flatMap(Optional::stream)
                .limit(100) // a chain may contain a cycle
                .anyMatch(each -> String.valueOf(each.getMessage()).contains(NO_SPACE_MESSAGE));
    }

    /** Returns whether a start is possible: enough space is free, and files can be created. */
    public boolean isSufficient() {
        return isEnough(free().orElse(0)) && isWritable();
    }

    /** Checks by writing a file, because a disk with free space can be out of inodes. */
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

    /** Describes the free space. */
    public String text() {
        OptionalLong free = free();
        if (free.isEmpty()) {
            return "the free space of the disk of %s cannot be read".formatted(folder);
        }
        return free.getAsLong() < MB
                ? "the disk of %s is full, %d KB are free".formatted(folder, free.getAsLong() >> 10)
                : "the disk of %s has %d MB free".formatted(folder, free.getAsLong() / MB);
    }
}
