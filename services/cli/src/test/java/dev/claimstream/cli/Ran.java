package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** A command line that ran in this JVM, and what it said. */
record Ran(int exitCode, String out, String err) {
    /** The examples of this repository. */
    static final Path EXAMPLES = Path.of("..", "..", "deploy", "examples");

    static Ran of(String... args) {
        var out = new StringWriter();
        var err = new StringWriter();
        int exitCode = Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
                .execute(args);
        return new Ran(exitCode, out.toString(), err.toString());
    }

    static String example(String name) {
        return EXAMPLES.resolve(name).toString();
    }

    List<String> errLines() {
        return err.lines().toList();
    }

    /** The claims on standard output, where it was asked for in YAML or JSON. */
    List<ResourceClaim> claims() {
        return claims(out);
    }

    static List<ResourceClaim> claims(String text) {
        ManifestReadResult reading = Manifests.read("printed", text);
        assertThat(reading.findings()).isEmpty();
        return reading.objects().stream().map(ResourceClaim.class::cast).toList();
    }

    /** A claim in a line; the letters that end a generated name are left out: {@code ns/name on node: request=driver/pool/device ...}. */
    static String line(ResourceClaim claim) {
        String devices = claim.allocation().stream()
                .flatMap(allocation -> allocation.results().stream())
                .map(Ran::line)
                .collect(Collectors.joining(" "));
        return "%s on %s: %s"
                .formatted(
                        stableName(claim),
                        claim.allocation()
                                .flatMap(allocation -> allocation.nodeSelector())
                                .flatMap(selector -> selector.onlyNode())
                                .orElse("-"),
                        devices.isEmpty() ? "-" : devices);
    }

    private static String line(DeviceResult result) {
        return result.request() + "=" + result.device();
    }

    /** Namespace and name without the letters that end a generated name. */
    static String stableName(ResourceClaim claim) {
        String name = claim.key().toString();
        return claim.meta().controller().isPresent() ? name.replaceFirst("-[a-z0-9]{5}$", "") : name;
    }
}
