package dev.claimstream.load.services;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Commands of the machine that mostly need root. */
final class RootCommand {
    private static final int NOT_RUN = -1;

    private RootCommand() {}

    /** Returns the exit code, or -1 if the program does not exist. Prints the output of a command that fails. */
    static int run(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output;
            try (var stream = process.getInputStream()) {
                output = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            }
            int code = process.waitFor();
            if (code != 0) {
                System.err.printf("%s: %s%n", String.join(" ", command), output.strip());
            }
            return code;
        } catch (IOException e) {
            System.err.println(e.getMessage());
            return NOT_RUN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return NOT_RUN;
        }
    }

    /**
     * Runs a command that has to succeed.
     *
     * @throws IOException if it fails, with the command and its exit code
     */
    static void require(List<String> command) throws IOException {
        int code = run(command);
        if (code != 0) {
            throw new IOException("%s ended with code %d".formatted(String.join(" ", command), code));
        }
    }
}
