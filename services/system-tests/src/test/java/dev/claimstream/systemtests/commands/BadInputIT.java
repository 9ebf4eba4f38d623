package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code run} with valid and invalid objects from files and standard input together. */
class BadInputIT {
    @TempDir
    private Path folder = Path.of("");

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private static CommandResult runWithInput(String standardInput, String... args) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(standardInput.getBytes(StandardCharsets.UTF_8)));
        try {
            return CommandResult.run(args);
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void allocatesValidClaimsBesideInvalidObjects() throws IOException {
        String cluster = file("cluster.yaml", ClusterManifests.ofDevices(3));
        String wrong = file("wrong.yaml", ClusterManifests.claim("wrong", "gpu.example.com", "count: many"));
        String mixed = file(
                "mixed.yaml",
                ClusterManifests.claim("by-file", 1)
                        + ClusterManifests.claim(
                                "bad-cel", "gpu.example.com", "selectors: [{cel: {expression: 'device.'}}]"));
        String data = folder.resolve("data").toString();
        String out = folder.resolve("out").toString();
        CommandResult result = runWithInput(
                ClusterManifests.claim("by-input", 1)
                        + ClusterManifests.claim("classless", "no-such.example.com", "count: 1"),
                "run",
                cluster,
                "-f",
                wrong,
                "-o",
                "wide",
                "-f",
                mixed,
                "-",
                "--data",
                data,
                "--out",
                out);

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.errLines()).hasSize(5);
        assertThat(result.errLines().get(0)).startsWith(wrong + ":9: ").contains("count", "(many)");
        assertThat(result.errLines().get(1)).startsWith(mixed + ":").contains("cel.expression", "(device.)");
        assertThat(result.errLines().get(2)).endsWith("1 node, 3 devices of 1 driver · 3 claims");
        assertThat(result.errLines().get(3)).startsWith("2 allocated, 1 pending · ");
        assertThat(result.errLines().get(4))
                .isEqualTo("why: ./claimstream explain claim default/classless -f %s -f %s -f %s -f -"
                        .formatted(wrong, mixed, cluster));

        List<String> table = result.out().lines().toList();
        assertThat(table).hasSize(4);
        assertThat(table.getFirst())
                .matches("CLAIM +STATE +NODE +DEVICES +RESERVED FOR +ITEM +REASON +BECAUSE +SECOND");
        assertThat(line(table, "default/by-file")).contains(" allocated ", " node-1 ", "gpu.example.com node-1/gpu-");
        assertThat(line(table, "default/by-input")).contains(" allocated ", " node-1 ", "gpu.example.com node-1/gpu-");
        assertThat(line(table, "default/classless"))
                .contains(
                        " pending ",
                        " ClassMissing ",
                        "could not retrieve device class no-such.example.com: it does not exist");
        assertThat(folder.resolve("data")).isNotEmptyDirectory();
        assertThat(folder.resolve("out"))
                .isDirectoryContaining(file -> file.endsWith("default.by-file.yaml"))
                .isDirectoryContaining(file -> file.endsWith("default.by-input.yaml"))
                .isDirectoryContaining(file -> file.endsWith("default.classless.yaml"));
        assertThat(Files.readString(folder.resolve("out").resolve("default.classless.yaml")))
                .contains("claimstream.dev/condition-reason: ClassMissing");
    }

    private static String line(List<String> table, String claim) {
        return table.stream()
                .filter(line -> line.startsWith(claim + " "))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void printsNothingWithoutValidObjects() throws IOException {
        String wrong = file("wrong.yaml", ClusterManifests.claim("wrong", "gpu.example.com", "count: many"));
        CommandResult result = CommandResult.run("run", wrong);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.errLines()).hasSize(2);
        assertThat(result.errLines().getFirst()).startsWith(wrong + ":9: ");
        assertThat(result.errLines().getLast())
                .isEqualTo("claimstream run: no object found: name files with Kubernetes objects");
    }
}
