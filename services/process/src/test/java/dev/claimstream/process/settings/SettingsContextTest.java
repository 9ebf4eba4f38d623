package dev.claimstream.process.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests configuration files, their precedence and the messages about wrong settings. */
final class SettingsContextTest {
    @TempDir
    private Path folder = Path.of("");

    @AfterEach
    void clearProperties() {
        System.getProperties().stringPropertyNames().stream()
                .filter(each -> each.startsWith("claimstream."))
                .forEach(System::clearProperty);
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    private static void configure(Path... files) {
        System.setProperty(
                SettingsFiles.CONFIG,
                String.join(",", Stream.of(files).map(Path::toString).toList()));
    }

    private static List<String> problems(ServiceName service) {
        try (var context = SettingsContext.ofService(service, Map.of())) {
            return context.isRunning() ? List.of("the context runs") : List.of();
        } catch (InvalidSettingsException e) {
            return e.problems();
        }
    }

    @Test
    void laterFileOverridesEarlierAndDefaults() throws IOException {
        configure(file("a.yml", """
                        claimstream:
                          allocator: {policy: first-fit, threads: 2}
                        """), file("b.properties", "claimstream.allocator.threads=3\n"));
        System.setProperty("claimstream.writer.parallel", "8");
        try (var context = SettingsContext.ofCommand()) {
            var settings = context.getEnvironment();
            assertThat(settings.getProperty("claimstream.allocator.policy", String.class))
                    .contains("first-fit");
            assertThat(settings.getProperty("claimstream.allocator.threads", Integer.class))
                    .contains(3);
            assertThat(settings.getProperty("claimstream.writer.parallel", Integer.class))
                    .contains(8);
        }
    }

    @Test
    void readsFilesOfFolderInOrderOfNames() throws IOException {
        file("20.yml", "claimstream.allocator.threads: 4");
        file("10.yml", "claimstream.allocator.threads: 2");
        file("notes.txt", "nothing");
        configure(folder);
        try (var context = SettingsContext.ofCommand()) {
            assertThat(context.getEnvironment().getProperty("claimstream.allocator.threads", Integer.class))
                    .contains(4);
        }
    }

    @Test
    void fileOverridesDefaultOfProcess() throws IOException {
        configure(file("a.yml", "claimstream.show-at-start: true"));
        try (var context = SettingsContext.ofService(
                ServiceName.WATCHER,
                Map.of(
                        "claimstream.show-at-start", false,
                        "claimstream.kafka.bootstrap", "a:1",
                        "claimstream.registry.url", "http://a"))) {
            assertThat(context.getEnvironment().getProperty("claimstream.show-at-start", Boolean.class))
                    .contains(true);
        }
    }

    @Test
    void reportsAllProblemsAtOnce() throws IOException {
        Path file = file("a.yml", """
                claimstream:
                  allocator:
                    polcy: best-fit
                    threads: many
                    sources: {nodes: watcher}
                  kafka: {sasl-password: hunter2, sasl: {pasword-fil: hunter3}}
                  console: {allowed-hosts: "console.claimstream.svc, ::1, http://b:1, c:8410"}
                """);
        configure(file);
        System.setProperty("claimstream.agent.recovery", "soon");
        assertThat(problems(ServiceName.ALLOCATOR))
                .containsExactlyInAnyOrder(
                        "claimstream.allocator.polcy is no setting (file %s, value 'best-fit'): use claimstream.allocator.policy"
                                .formatted(file),
                        "claimstream.allocator.threads is 'many' (file %s): use a number, 1 to 64".formatted(file),
                        "claimstream.console.allowed-hosts is 'http://b:1' (file %s): use a host name or an address, without scheme, port and path"
                                .formatted(file),
                        "claimstream.console.allowed-hosts is 'c:8410' (file %s): use a host name or an address, without scheme, port and path"
                                .formatted(file),
                        "claimstream.allocator.sources.nodes is 'watcher' (file %s): name one of the kinds in services/SETTINGS.md"
                                .formatted(file),
                        "claimstream.kafka.sasl-password is no setting (file %s, value not shown): %s"
                                .formatted(file, "use claimstream.kafka.sasl.password-file"),
                        "claimstream.kafka.sasl.pasword-fil is no setting (file %s, value not shown): %s"
                                .formatted(file, "use claimstream.kafka.sasl.password-file"),
                        "claimstream.agent.recovery is 'soon' (system property): use a time with its unit (ms, s, m, h), such as"
                                + " 10s; 1ms or more",
                        "claimstream.kafka.bootstrap is not set: set it, or CLAIMSTREAM_KAFKA_BOOTSTRAP, to the host:port of"
                                + " Kafka",
                        "claimstream.registry.url is not set: set it, or CLAIMSTREAM_REGISTRY_URL, to the address of the schema"
                                + " registry",
                        "claimstream.allocator.state-folder is not set: set it, or CLAIMSTREAM_ALLOCATOR_STATE_FOLDER, to a"
                                + " folder for local state");
    }

    /** Shadow and archive run in such a process: an allocator without intake and cells. */
    @Test
    void disabledServiceNeedsNoneOfItsSettings() throws IOException {
        configure(file("a.yml", """
                claimstream:
                  kafka: {bootstrap: "a:1"}
                  registry: {url: "http://a"}
                """));
        assertThat(problems(ServiceName.ALLOCATOR))
                .singleElement()
                .asString()
                .startsWith("claimstream.allocator.state-folder is not set");
        try (var context =
                SettingsContext.ofService(ServiceName.ALLOCATOR, Map.of("claimstream.allocator.enabled", false))) {
            assertThat(context.getEnvironment().containsProperty("claimstream.allocator.state-folder"))
                    .isFalse();
        }
    }

    @Test
    void doesNotShowUserOfAddress() throws IOException {
        configure(file("a.yml", "claimstream.registry.url: 'http://me:hunter2@registry'"));
        assertThat(problems(ServiceName.CONSOLE)).anyMatch(each -> each.contains("'http://…@registry'"));
        assertThat(problems(ServiceName.CONSOLE)).noneMatch(each -> each.contains("hunter2"));
    }

    @Test
    void acceptsListsOfYaml() throws IOException {
        configure(file("a.yml", """
                claimstream:
                  agent:
                    exporters: [http://localhost:9400/metrics, http://localhost:9401/metrics]
                """));
        try (var context = SettingsContext.ofCommand()) {
            assertThat(context.getEnvironment().getProperty("claimstream.agent.exporters", List.class))
                    .contains(List.of("http://localhost:9400/metrics", "http://localhost:9401/metrics"));
        }
    }

    @Test
    void namesMissingAndMalformedFiles() throws IOException {
        configure(folder.resolve("none.yml"));
        assertThat(problems(ServiceName.WRITER))
                .containsExactly("%s: no such file: name readable files in CLAIMSTREAM_CONFIG"
                        .formatted(folder.resolve("none.yml")));
        Path malformed = file("a.yml", "claimstream:\n  kafka: {bootstrap: hunter2\n");
        configure(malformed);
        assertThat(problems(ServiceName.WRITER))
                .singleElement()
                .asString()
                .startsWith(malformed + ", line ")
                .endsWith("cannot be parsed: correct the file")
                .doesNotContain("hunter2");
        configure(file("a.toml", ""));
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(SettingsContext::ofCommand)
                .withMessageContaining("use files that end with .yml");
    }

    @Test
    void ignoresVariablesOfKubernetesServices() {
        assertThat(EnvironmentVariables.serviceLinks(Map.of(
                        "CLAIMSTREAM_CONSOLE_PORT", "tcp://10.0.0.7:8410",
                        "CLAIMSTREAM_CONSOLE_PORT_8410_TCP_ADDR", "10.0.0.7",
                        "CLAIMSTREAM_CONSOLE_SERVICE_HOST", "10.0.0.7",
                        "CLAIMSTREAM_CONSOLE_SERVICE_PORT_HTTP", "8410",
                        "CLAIMSTREAM_OBSERVABILITY_PORT", "9000")))
                .doesNotContain("CLAIMSTREAM_OBSERVABILITY_PORT")
                .hasSize(4);
    }
}
