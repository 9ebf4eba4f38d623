package dev.claimstream.systemtests.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.Main;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The exit code and output of a command line. */
public record CommandResult(int exitCode, String out, String err) {
    /** The examples of this repository. */
    public static final Path EXAMPLES = Path.of("..", "..", "deploy", "examples");

    public static CommandResult run(String... args) {
        var out = new StringWriter();
        var err = new StringWriter();
        int exitCode = Main.execute(new PrintWriter(out, true), new PrintWriter(err, true), args);
        return new CommandResult(exitCode, out.toString(), err.toString());
    }

    /**
     * Applies manifests to the {@code up} of a data folder. The command must succeed.
     *
     * @param folder in which the file of the manifests is made
     */
    public static void apply(Path folder, Path data, String manifests) throws IOException {
        Path file = Files.writeString(Files.createTempFile(folder, "change", ".yaml"), manifests);
        CommandResult result = run("apply", "-f", file.toString(), "--data", data.toString());
        assertThat(result.exitCode()).as(result.err()).isZero();
    }

    public static String example(String name) {
        return EXAMPLES.resolve(name).toString();
    }

    public List<String> errLines() {
        return err.lines().toList();
    }

    /** Returns the claims on standard output, in YAML or JSON. */
    public List<ResourceClaim> claims() {
        return claims(out);
    }

    public static List<ResourceClaim> claims(String text) {
        ManifestReadResult reading = Manifests.read("printed", text);
        assertThat(reading.findings()).isEmpty();
        return reading.objects().stream().map(ResourceClaim.class::cast).toList();
    }

    /** Returns {@code ns/name on node: request=driver/pool/device ...}, without the suffix of a generated name. */
    public static String line(ResourceClaim claim) {
        String devices = claim.allocation().stream()
                .flatMap(allocation -> allocation.results().stream())
                .map(CommandResult::line)
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

    /** Returns namespace and name without the suffix of a generated name. */
    public static String stableName(ResourceClaim claim) {
        String name = claim.key().toString();
        return claim.meta().controller().isPresent() ? name.replaceFirst("-[a-z0-9]{5}$", "") : name;
    }
}
