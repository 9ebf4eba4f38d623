package dev.claimstream.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Folders that a user names; what is wrong with one is said before anything starts. */
final class Folders {
    private Folders() {}

    /**
     * Makes a folder where there is none.
     *
     * @param option that names it
     * @throws RunFailure where no file can be written to it
     */
    static Path writable(String option, Path folder) {
        try {
            Files.createDirectories(folder);
            Files.delete(Files.createTempFile(folder, "claimstream-", ""));
            return folder;
        } catch (FileAlreadyExistsException e) {
            throw new RunFailure("%s %s is a file: name a folder".formatted(option, folder));
        } catch (IOException e) {
            throw new RunFailure("%s %s cannot be written to, %s: name a folder that you may write to"
                    .formatted(option, folder, reason(e)));
        }
    }

    /**
     * The same; there must be nothing in it.
     *
     * @throws RunFailure where there is, or no file can be written to it
     */
    static Path empty(String option, Path folder) {
        writable(option, folder);
        try (Stream<Path> content = Files.list(folder)) {
            if (content.findAny().isPresent()) {
                throw new RunFailure("%s %s is not empty: name an empty or a new folder".formatted(option, folder));
            }
            return folder;
        } catch (IOException e) {
            throw new RunFailure(
                    "%s %s cannot be read, %s: name a folder of your own".formatted(option, folder, reason(e)));
        }
    }

    /** Why, in words; the exception's name where it has none. */
    static String reason(IOException e) {
        Optional<String> known = switch (e) {
            case NoSuchFileException _ -> Optional.of("no such file or folder");
            case AccessDeniedException _ -> Optional.of("permission denied");
            default -> Optional.empty();
        };
        return known.orElseGet(() -> said(e));
    }

    private static String said(IOException e) {
        Optional<String> said = e instanceof FileSystemException file
                ? Optional.ofNullable(file.getReason())
                : Optional.ofNullable(e.getMessage());
        return said.orElseGet(() -> e.getClass().getSimpleName());
    }
}
