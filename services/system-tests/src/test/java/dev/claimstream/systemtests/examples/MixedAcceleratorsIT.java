package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the large example on a real broker. The expected results of first-fit come from the allocator of Kubernetes
 * (k8s.io/dynamic-resource-allocation v0.37.2): items in the order of priority, then of the files, and nodes in the
 * order of their names.
 */
class MixedAcceleratorsIT {
    private static final String FOLDER = CommandResult.example("mixed-accelerators");
    private static final String PENDING_MESSAGE = "16 gpu.nvidia.com on one node, the largest has 8 in all";

    private static final List<String> UPSTREAM = List.of(
            expectedLine("research/notebook", "gpu-h100-1", "gpu=gpu.nvidia.com/gpu-0"),
            expectedLine("training/llama-pretrain", "gpu-h100-2", numbered("gpus=gpu.nvidia.com/gpu-", 8)),
            expectedLine(
                    "training/nccl-0-pair", "gpu-h100-1", "gpu=gpu.nvidia.com/gpu-1", "nic=dra.net/pci-0000-40-00-0"),
            expectedLine(
                    "training/nccl-1-pair", "gpu-h100-1", "gpu=gpu.nvidia.com/gpu-3", "nic=dra.net/pci-0000-5e-00-0"),
            expectedLine("training/finetune-0-gpus", "gpu-a100-2", numbered("gpus=gpu.nvidia.com/gpu-", 8)),
            expectedLine(
                    "training/neuron-0-devices",
                    "trn-1",
                    concat(
                            numbered("neurons=neuron.aws.com/neuron-device-", 8),
                            "efas=dra.net/pci-0000-10-1a-0",
                            "efas=dra.net/pci-0000-20-19-0",
                            "efas=dra.net/pci-0000-90-19-0",
                            "efas=dra.net/pci-0000-a0-1a-0")),
            expectedLine(
                    "training/gaudi-0-gaudis",
                    "gaudi-2",
                    Stream.of("19", "1a", "33", "34", "b3", "b4", "cc", "cd")
                            .map(bus -> "gaudis=gaudi.intel.com/0000-" + bus + "-00-0-0x1060")
                            .toArray(String[]::new)),
            expectedLine("research/tpu-0-tpus", "tpu-2", numbered("tpus=tpu.google.com/", 8)),
            expectedLine("research/memory-diagnosis", "gpu-a100-1", "gpu=gpu.nvidia.com/gpu-5"),
            expectedLine("inference/shared-l4", "gpu-l4-1", "gpu=gpu.nvidia.com/gpu-0"),
            expectedLine(
                    "inference/assistant-0-accelerator", "gpu-mi300x-1", "accelerator/mi300x=gpu.amd.com/gpu-0-128"),
            expectedLine(
                    "inference/mixtral-0-gpus",
                    "gpu-mi300x-1",
                    "gpus=gpu.amd.com/gpu-4-132",
                    "gpus=gpu.amd.com/gpu-5-133",
                    "gpus=gpu.amd.com/gpu-6-134",
                    "gpus=gpu.amd.com/gpu-7-135"),
            expectedLine("video/transcode-gpu", "gpu-l4-2", "gpu=gpu.nvidia.com/gpu-0"),
            expectedLine("video/transcode-fpga", "gpu-l4-2", "fpga=fpga.example.com/fpga-0"),
            expectedLine("video/thumbnails-0-gpu", "gpu-flex-1", "gpu=gpu.intel.com/0000-4d-00-0-0x56c0"),
            expectedLine("platform/storage-gateway-0-dpu", "gpu-h100-3", "dpu=dpu.example.com/dpu-0"),
            "research/too-big on -: -");

    @TempDir
    private static Path out;

    private static CommandResult firstFit = new CommandResult(0, "", "");
    private static CommandResult bestFit = new CommandResult(0, "", "");

    @BeforeAll
    static void runBothPolicies() {
        firstFit = CommandResult.run("run", "-o", "yaml", "--policy", "first-fit", FOLDER);
        bestFit = CommandResult.run("run", "-o", "json", "--out", out.toString(), "-f", FOLDER);
    }

    /** Returns the expected line of a claim. All pools of the example have the name of their node. */
    private static String expectedLine(String claim, String node, String... devices) {
        return "%s on %s: %s"
                .formatted(
                        claim,
                        node,
                        String.join(
                                " ",
                                Stream.of(devices)
                                        .map(each -> each.replaceFirst("/([^/]*)$", "/" + node + "/$1"))
                                        .toList()));
    }

    private static String[] numbered(String stem, int count) {
        return Stream.iterate(0, i -> i < count, i -> i + 1).map(i -> stem + i).toArray(String[]::new);
    }

    private static String[] concat(String[] first, String... then) {
        return Stream.concat(Stream.of(first), Stream.of(then)).toArray(String[]::new);
    }

    private static ResourceClaim claim(CommandResult result, String name) {
        return result.claims().stream()
                .filter(each -> CommandResult.stableName(each).equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void firstFitMatchesKubernetesAllocator() {
        assertThat(firstFit.claims()).extracting(CommandResult::line).containsExactlyInAnyOrderElementsOf(UPSTREAM);
    }

    @Test
    void pinsAllocationsToNodeByName() {
        assertThat(firstFit.claims())
                .allSatisfy(claim -> claim.allocation().ifPresent(allocation -> {
                    String node = allocation
                            .nodeSelector()
                            .flatMap(NodeSelector::onlyNode)
                            .orElseThrow();
                    assertThat(allocation.nodeSelector()).contains(NodeSelector.ofNode(node));
                    assertThat(allocation.config()).isEmpty();
                }));
    }

    @Test
    void copiesTolerationToDeviceResult() {
        DeviceResult sick = claim(firstFit, "research/memory-diagnosis")
                .allocation()
                .orElseThrow()
                .results()
                .getFirst();
        assertThat(sick.tolerations())
                .singleElement()
                .satisfies(toleration -> assertThat(toleration.toString()).contains("example.com/memory-errors"));
    }

    @Test
    void reservesClaimsForTheirPods() {
        assertThat(claim(firstFit, "inference/shared-l4").reservedFor())
                .extracting(ClaimConsumer::name)
                .containsExactlyInAnyOrder("chat", "embed", "rerank");
        assertThat(claim(firstFit, "research/notebook").reservedFor())
                .extracting(ClaimConsumer::name)
                .containsExactly("notebook-0");
        assertThat(claim(firstFit, "training/nccl-0-pair").reservedFor())
                .extracting(ClaimConsumer::name)
                .containsExactly("nccl-0");
        assertThat(claim(firstFit, "research/too-big").reservedFor()).isEmpty();
    }

    @Test
    void reportsReasonOfPendingClaimInBothPolicies() {
        for (CommandResult result : List.of(firstFit, bestFit)) {
            assertThat(result.exitCode()).isEqualTo(3);
            assertThat(result.claims().stream().filter(each -> each.allocation().isEmpty()))
                    .singleElement()
                    .satisfies(waiting -> {
                        assertThat(waiting.key()).hasToString("research/too-big");
                        assertThat(waiting.meta().annotations())
                                .containsEntry("claimstream.dev/condition-type", "Allocated")
                                .containsEntry("claimstream.dev/condition-status", "False")
                                .containsEntry("claimstream.dev/condition-reason", "InsufficientDevicesPerNode")
                                .containsEntry("claimstream.dev/condition-message", PENDING_MESSAGE);
                    });
        }
    }

    @Test
    void setsConditionOnlyOnPendingClaim() {
        assertThat(bestFit.claims().stream().filter(each -> each.allocation().isPresent()))
                .hasSize(16)
                .allSatisfy(each -> assertThat(each.meta().annotations().keySet())
                        .noneMatch(key -> key.startsWith("claimstream.dev/")));
    }

    @Test
    void allocatesNoDeviceTwice() {
        for (CommandResult ran : List.of(firstFit, bestFit)) {
            List<DeviceId> devices = new ArrayList<>();
            ran.claims()
                    .forEach(claim -> claim.allocation()
                            .ifPresent(allocation ->
                                    allocation.results().forEach(result -> devices.add(result.device()))));
            assertThat(devices).hasSize(60).doesNotHaveDuplicates();
        }
    }

    @Test
    void allocatesEachClaimOnOneNode() {
        assertThat(bestFit.claims())
                .allSatisfy(claim -> claim.allocation()
                        .ifPresent(allocation -> assertThat(allocation.results())
                                .extracting(result -> result.device().pool())
                                .containsOnly(allocation
                                        .nodeSelector()
                                        .flatMap(NodeSelector::onlyNode)
                                        .orElseThrow())));
    }

    @Test
    void printsOnlyResultsToStandardOutput() {
        assertThat(firstFit.out()).startsWith("apiVersion: v1\n").contains("\nkind: List\n");
        assertThat(bestFit.out()).startsWith("{").endsWith("}\n").contains("\"kind\": \"List\"");
        for (CommandResult result : List.of(firstFit, bestFit)) {
            assertThat(result.errLines())
                    .satisfiesExactly(
                            headline -> assertThat(headline)
                                    .matches("broker ready \\d+\\.\\d s · 17 nodes, 210 devices of 9 drivers"
                                            + " · 17 claims"),
                            summary -> assertThat(summary)
                                    .matches("16 allocated, 1 pending · first decision after \\d+\\.\\d s"
                                            + " · claim to decision p50 \\d+ ms, p99 \\d+ ms"),
                            hint -> assertThat(hint)
                                    .startsWith("why: ./claimstream explain claim research/too-big -f "));
        }
    }

    @Test
    void writesOneFilePerClaim() throws IOException {
        Map<String, String> printed = new TreeMap<>();
        bestFit.claims()
                .forEach(each -> printed.put(
                        each.key().namespace() + "." + each.key().name() + ".yaml", CommandResult.line(each)));
        Map<String, String> written = new TreeMap<>();
        try (Stream<Path> files = Files.list(out)) {
            for (Path file : files.toList()) {
                ResourceClaim only =
                        CommandResult.claims(Files.readString(file)).getFirst();
                written.put(file.getFileName().toString(), CommandResult.line(only));
            }
        }
        assertThat(written).hasSize(17).isEqualTo(printed);
    }

    @Test
    void printsSameBytesForSameInput() {
        CommandResult again = CommandResult.run("run", "-o", "yaml", "--policy", "first-fit", FOLDER);
        assertThat(withoutTimes(again.out())).isEqualTo(withoutTimes(firstFit.out()));
    }

    private static String withoutTimes(String text) {
        return text.replaceAll("(?m)^( *allocationTimestamp: ).*$", "$1-");
    }
}
