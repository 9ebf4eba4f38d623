package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.CachedSchemaRegistryClient;

/**
 * A program of {@code deploy/producers}: it publishes inventory and a claim, and prints the decision.
 *
 * @param site part of the names of its objects
 * @param home folder in which it runs
 * @param command command of the README
 */
record OutsideProgram(String site, Path home, List<String> command) {
    private static final Path PRODUCERS = Path.of("..", "..", "deploy", "producers");
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** With the serializers of the example. */
    static OutsideProgram java() {
        return new OutsideProgram(
                "java",
                PRODUCERS.resolve("java"),
                List.of(javaBinary(), "-jar", javaJar().toString()));
    }

    /** With Confluent's registry client. */
    static OutsideProgram javaWithConfluentClient() {
        String classPath = String.join(
                File.pathSeparator,
                javaJar().toString(),
                Path.of("target", "lib").resolve("*").toString(),
                location(ConfluentClientSerializer.class),
                location(CachedSchemaRegistryClient.class));
        return new OutsideProgram(
                "java",
                PRODUCERS.resolve("java"),
                List.of(javaBinary(), "-cp", classPath, "example.site.OutsideProducer"));
    }

    private static Path javaJar() {
        Path jar = Path.of("target", "outside-producer.jar");
        assumeReady("java", jar, "Maven", "mvn -q package");
        return jar;
    }

    static OutsideProgram javaScript() {
        return javaScript("javascript");
    }

    /** With Confluent's registry client. */
    static OutsideProgram javaScriptWithConfluentClient() {
        return javaScript("javascript-confluent");
    }

    private static OutsideProgram javaScript(String folder) {
        assumeReady(folder, Path.of("node_modules"), "Node.js and npm", "npm ci");
        return new OutsideProgram(folder, PRODUCERS.resolve(folder), List.of("node", "publish-and-read.mjs"));
    }

    static OutsideProgram python() {
        Path python = Path.of(".venv", "bin", "python");
        assumeReady(
                "python",
                python,
                "Python 3.11 or newer",
                "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt");
        Path home = PRODUCERS.resolve("python");
        return new OutsideProgram(
                "python", home, List.of(home.resolve(python).toAbsolutePath().toString(), "publish_and_read.py"));
    }

    /** The folder with Apicurio's registry, of the artifact of the same release as in {@code compose}. */
    static Path apicurio() {
        Path jar = Path.of("target", "apicurio", "quarkus-run.jar");
        assumeReady("", jar, "Maven", "the command in README.md, section Registries");
        return PRODUCERS.resolve("target").resolve("apicurio");
    }

    /** Skips the test if a tool is missing on a user's machine, and names the remedy. The gate installs the tools. */
    private static void assumeReady(String folder, Path needed, String tools, String remedy) {
        String message = "NOT TRIED: %s is missing. Install %s, then: cd deploy/producers/%s && %s"
                .formatted(needed.getFileName(), tools, folder, remedy);
        boolean isReady = Files.exists(PRODUCERS.resolve(folder).resolve(needed));
        if (!isReady && System.getenv("CI") == null) {
            System.err.println(message);
        }
        assertThat(isReady || System.getenv("CI") == null).as(message).isTrue();
        assumeTrue(isReady, message);
    }

    private static String javaBinary() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static String location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the expected last line of a first run. */
    String allocatedLine() {
        return "allocated outside/%1$s-claim on %1$s-node: %1$s.example.com/%1$s-node/gpu-0".formatted(site);
    }

    /** Returns the expected beginning of the last line of a later run, which can get either device. */
    String allocatedAgain() {
        return allocatedLine().replaceFirst("0$", "");
    }

    /** Runs the program, asserts that it succeeds, and returns its output. */
    List<String> run(Path logs, String bootstrap, String registry) throws IOException, InterruptedException {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of(bootstrap, registry));
        if (command.contains("-cp")) {
            whole.addAll(
                    List.of(ConfluentClientSerializer.class.getName(), ConfluentClientDeserializer.class.getName()));
        }
        Path out = Files.createTempFile(logs, site, ".out");
        Process process = new ProcessBuilder(whole)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        process.destroyForcibly();
        String text = Files.readString(out);
        assertThat(ended).as("%s ends; it said: %s", home.getFileName(), text).isTrue();
        assertThat(process.exitValue()).as(text).isZero();
        return text.lines().toList();
    }
}
