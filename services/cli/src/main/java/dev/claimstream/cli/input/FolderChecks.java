package dev.claimstream.cli.input;

import dev.claimstream.cli.output.RunFailure;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks the folders of options before anything starts. */
public final class FolderChecks {
    private FolderChecks() {}

    /**
     * Creates a folder if it does not exist, and checks that it is writable.
     *
     * @param option that names the folder, for the error text
     * @throws RunFailure if no file can be written to the folder
     */
    public static Path requireWritable(String option, Path folder) {
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
     * Creates a folder if it does not exist, and checks that it is writable and empty.
     *
     * @throws RunFailure if the folder is not empty, or no file can be written to it
     */
    public static Path requireEmpty(String option, Path folder) {
        requireWritable(option, folder);
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

    /** Returns the cause of a file error in words, or the exception's name if it has no message. */
    public static String reason(IOException e) {
        Optional<String> known = switch (e) {
            case NoSuchFileException _ -> Optional.of("no such file or folder");
            case AccessDeniedException _ -> Optional.of("permission denied");
            default -> Optional.empty();
        };
        return known.orElseGet(() -> systemReason(e));
    }

    private static String systemReason(IOException e) {
        Optional<String> said = e instanceof FileSystemException file
                ? Optional.ofNullable(file.getReason())
                : Optional.ofNullable(e.getMessage());
        return said.orElseGet(() -> e.getClass().getSimpleName());
    }
}
