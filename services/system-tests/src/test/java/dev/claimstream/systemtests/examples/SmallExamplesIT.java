package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.systemtests.process.CommandResult;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the results that the READMEs of the small examples promise. */
class SmallExamplesIT {
    private static List<ResourceClaim> runExample(String example) {
        CommandResult result =
                CommandResult.run("run", "-o", "yaml", "--policy", "first-fit", CommandResult.example(example));
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.errLines()).hasSize(2);
        assertThat(result.err()).doesNotContain("why: ");
        return result.claims();
    }

    @Test
    void alignsGpuAndNicOnOneRoot() {
        assertThat(runExample("gpu-nic-alignment"))
                .extracting(CommandResult::line)
                .containsExactly(
                        "default/worker-0-pair on node-1: gpu=gpu.nvidia.com/node-1/gpu-0"
                                + " nic=dra.net/node-1/pci-0000-18-00-0",
                        "default/worker-1-pair on node-1: gpu=gpu.nvidia.com/node-1/gpu-2"
                                + " nic=dra.net/node-1/pci-0000-38-00-0",
                        "default/worker-2-pair on node-1: gpu=gpu.nvidia.com/node-1/gpu-3"
                                + " nic=dra.net/node-1/pci-0000-48-00-0");
    }

    @Test
    void threePodsShareOneGpu() {
        assertThat(runExample("shared-claim")).singleElement().satisfies(claim -> {
            assertThat(CommandResult.line(claim))
                    .isEqualTo("default/small-models on node-1: gpu=gpu.nvidia.com/node-1/gpu-0");
            assertThat(claim.reservedFor())
                    .extracting(ClaimConsumer::name)
                    .containsExactlyInAnyOrder("chat", "embed", "rerank");
        });
    }

    @Test
    void createsClaimForEveryPodOfTemplate() {
        List<ResourceClaim> claims = runExample("template-per-pod");
        assertThat(claims)
                .extracting(CommandResult::line)
                .containsExactly(
                        "default/trainer-0-gpu on node-1: gpu=gpu.nvidia.com/node-1/gpu-0",
                        "default/trainer-1-gpu on node-1: gpu=gpu.nvidia.com/node-1/gpu-1",
                        "default/trainer-2-gpu on node-2: gpu=gpu.nvidia.com/node-2/gpu-0");
        assertThat(claims).allSatisfy(claim -> {
            Owner pod = claim.meta().controller().orElseThrow();
            assertThat(pod.kind()).isEqualTo("Pod");
            assertThat(claim.meta().name()).matches(pod.name() + "-gpu-[a-z0-9]{5}");
            assertThat(claim.meta().annotations()).containsEntry("resource.kubernetes.io/pod-claim-name", "gpu");
            assertThat(claim.reservedFor()).containsExactly(ClaimConsumer.pod(pod.name(), pod.uid()));
        });
    }
}
