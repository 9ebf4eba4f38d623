package dev.claimstream.cli;

import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.api.WriterBinding;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Waits until kube-scheduler cannot allocate managed devices. Lists of a watcher that starts afterwards contain every
 * allocation of kube-scheduler, and the allocator decides nothing before these lists.
 */
@Command(
        name = "await-policies",
        mixinStandardHelpOptions = true,
        header = "Wait until a cluster has the policy of the single writer, so that kube-scheduler allocates no managed"
                + " device.",
        description = {
            "",
            "The Helm chart runs this before a watcher starts: Helm creates policies after the workloads. Prints what"
                + " is missing when that changes, and tries again without limit if the API server does not respond.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the policy exists and is bound", "1:invalid access, or the time of --timeout is over"},
        footer = {"", "Example: claimstream await-policies --kubeconfig ~/.kube/config --timeout 60"})
final class AwaitPoliciesCommand implements Callable<Integer> {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** The API server looks for new policies once per second. */
    private static final Duration ENFORCEMENT = Duration.ofSeconds(3);

    @Mixin
    private ApiClusterAccess cluster;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "Maximum time to wait. Default: 0, without limit.")
    private int timeout;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AwaitPoliciesCommand() {}

    @Override
    public Integer call() {
        try (var binding = WriterBinding.open(cluster.access())) {
            await(binding);
            return ExitCodes.SUCCESS;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunFailure("interrupted: run the command again");
        }
    }

    private void await(WriterBinding binding) throws InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        long start = System.nanoTime();
        String shown = "";
        for (String obstacle = obstacle(binding); !obstacle.isEmpty(); obstacle = obstacle(binding)) {
            if (timeout > 0 && System.nanoTime() - start > TimeUnit.SECONDS.toNanos(timeout)) {
                throw new RunFailure(
                        "%s after %d s: apply the Helm chart or deploy/policies".formatted(obstacle, timeout));
            }
            if (!obstacle.equals(shown)) {
                err.println("waiting: " + obstacle);
                err.flush();
            }
            shown = obstacle;
            pause(PAUSE);
        }
        if (!shown.isEmpty()) {
            pause(ENFORCEMENT);
        }
    }

    /** Why the policy is not in force; empty if it is. */
    private static String obstacle(WriterBinding binding) {
        try {
            return binding.missing().map(object -> object + " is missing").orElse("");
        } catch (ClusterFault e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static void pause(Duration time) throws InterruptedException {
        var unused = new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
    }
}
