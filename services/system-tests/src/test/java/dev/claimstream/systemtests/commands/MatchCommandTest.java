package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code claimstream match}: a selector on published devices. */
class MatchCommandTest {
    @TempDir
    private Path folder = Path.of("");

    private String slices = "";

    @BeforeEach
    void writeSlices() throws IOException {
        slices = Files.writeString(folder.resolve("slices.yaml"), """
                        apiVersion: resource.k8s.io/v1
                        kind: ResourceSlice
                        metadata: {name: s}
                        spec:
                          driver: gpu.example.com
                          nodeName: node-1
                          pool: {name: node-1, generation: 1, resourceSliceCount: 1}
                          devices:
                          - {name: gpu-0, attributes: {model: {string: a100}}}
                          - {name: gpu-1, attributes: {model: {string: h100}}}
                          - {name: odd}
                        ---
                        apiVersion: resource.k8s.io/v1
                        kind: DeviceClass
                        metadata: {name: known}
                        spec: {selectors: [{cel: {expression: '"model" in device.attributes["gpu.example.com"]'}}]}
                        """).toString();
    }

    private CommandResult match(String expression, String... more) {
        String[] args = new String[more.length + 4];
        args[0] = "match";
        args[1] = expression;
        args[2] = "-f";
        args[3] = slices;
        System.arraycopy(more, 0, args, 4, more.length);
        return CommandResult.run(args);
    }

    @Test
    void printsMatchAndCostOfEachDevice() {
        CommandResult result = match("device.attributes[\"gpu.example.com\"].model == \"a100\"");
        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines())
                .satisfiesExactly(
                        line -> assertThat(line).matches("DEVICE +MATCH +COST +ERROR"),
                        line -> assertThat(line).matches("gpu.example.com/node-1/gpu-0 +yes +5 +-"),
                        line -> assertThat(line).matches("gpu.example.com/node-1/gpu-1 +no +5 +-"),
                        line -> assertThat(line)
                                .matches(
                                        "gpu.example.com/node-1/odd +error +\\d+ +CEL runtime error: no such key: model.*"));
    }

    @Test
    void printsOneJsonLinePerDevice() {
        CommandResult result = match("device.attributes[\"gpu.example.com\"].model == \"a100\"", "-o", "json");
        assertThat(result.out().lines())
                .startsWith(
                        "{\"driver\":\"gpu.example.com\",\"pool\":\"node-1\",\"device\":\"gpu-0\",\"match\":true,\"error\":null,\"cost\":5}",
                        "{\"driver\":\"gpu.example.com\",\"pool\":\"node-1\",\"device\":\"gpu-1\",\"match\":false,\"error\":null,\"cost\":5}")
                .last()
                .asString()
                .contains("\"device\":\"odd\",\"match\":null,\"error\":\"CEL runtime error: no such key: model");
    }

    @Test
    void restrictsDevicesToClass() {
        assertThat(match("true", "--class", "known", "-o", "json").out().lines())
                .hasSize(2);
        CommandResult unknown = match("true", "--class", "other");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.err()).contains("--class other: the files have no DeviceClass of this name");
    }

    @Test
    void printsNoTableWithoutDevices() {
        CommandResult result = CommandResult.run(
                "match", "true", "-f", folder.resolve("missing").toString());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("the path does not exist", "there is no device: name files");
    }

    @Test
    void reportsCompileErrorWithPosition() {
        CommandResult result = match("device.driver = \"a\"", "-o", "json");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("claimstream match: compilation failed: ERROR: <input>:1:");
    }

    @Test
    void restrictsNewExpressionToEnabledGates() {
        String shared = "device.allowMultipleAllocations";
        String off = "--features=DRAConsumableCapacity=false";
        assertThat(match(shared, off).exitCode()).isZero();
        assertThat(match(shared, "--new-expression").exitCode()).isZero();
        assertThat(match(shared, "--new-expression", off).err()).contains("undefined field 'allowMultipleAllocations'");
        String includes = "device.attributes[\"gpu.example.com\"].model.includes(\"a100\")";
        assertThat(match(includes).exitCode()).isZero();
        assertThat(match(includes, "--new-expression", "--kubernetes", "1.36").exitCode())
                .isEqualTo(1);
    }

    @Test
    void rejectsFormatOfUntypedAttributeInNewExpression() {
        String form = "\"%s\".format([device.attributes[\"gpu.example.com\"].model]) == \"a100\"";
        assertThat(match(form).exitCode()).isZero();
        assertThat(match(form, "--new-expression", "--features=DRAListTypeAttributes=true")
                        .exitCode())
                .isZero();
        CommandResult refused = match(form, "--new-expression");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err())
                .contains("<input>:1:50: error during formatting: string clause can only be used on")
                .contains("was given google.protobuf.Any");
    }

    @Test
    void acceptsLeadingMinusAfterDoubleDash() {
        CommandResult result = CommandResult.run("match", "-f", slices, "--", "-1 < 0");
        assertThat(result.exitCode()).isZero();
        assertThat(CommandResult.run("match", "--help").out()).contains("put it last, after --");
    }

    @Test
    void acceptsInvalidObjectsWithNoValidation() throws IOException {
        Path odd = Files.writeString(
                folder.resolve("odd.yaml"), Files.readString(Path.of(slices)).replace("name: odd", "name: Odd_Name"));
        CommandResult strict = CommandResult.run("match", "true", "-f", odd.toString());
        assertThat(strict.exitCode()).isEqualTo(1);
        assertThat(strict.err()).contains("Odd_Name");
        CommandResult lax = CommandResult.run("match", "true", "--no-validation", "-f", odd.toString());
        assertThat(lax.exitCode()).isZero();
        assertThat(lax.out()).contains("gpu.example.com/node-1/Odd_Name");
    }

    @Test
    void acceptsGatesWithoutEffectAndUnlockedGates() {
        String gates = "DynamicResourceAllocation=true,DRASchedulerFilterTimeout=false,GenericWorkload=true";
        assertThat(match("true", "--features", gates).out())
                .isEqualTo(match("true").out());
        assertThat(match("true", "--kubernetes", "1.36", "--features", "DRAPrioritizedList=false")
                        .exitCode())
                .isZero();
    }

    @Test
    void rejectsUnknownGatesAndReleases() {
        assertThat(match("true", "--features", "Foo=true").err()).contains("--features: feature gate Foo is not known");
        assertThat(match("true", "--kubernetes", "1.20").err())
                .contains("--kubernetes 1.20 is not known: use 1.36 or 1.37");
        assertThat(CommandResult.run("match", "true").err()).contains("missing -f PATH");
    }
}
