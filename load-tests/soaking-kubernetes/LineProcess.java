import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that ends with its standard input, also if this program is killed. It receives one command per line. */
final class LineProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    private final PrintWriter in;

    LineProcess(Path errors, List<String> command) throws IOException {
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        in = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Returns the next line of output. */
    String line() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new IllegalStateException(
                    "%s has ended".formatted(process.info().commandLine().orElse("a process")));
        }
        return line;
    }

    String ask(String line) throws IOException {
        in.println(line);
        return line();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends the process and returns the rest of its output. */
    List<String> end() throws IOException, InterruptedException {
        in.close();
        List<String> rest = out.lines().toList();
        process.waitFor();
        return rest;
    }

    @Override
    public void close() {
        in.close();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
