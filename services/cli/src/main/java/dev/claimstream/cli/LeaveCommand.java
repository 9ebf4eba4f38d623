package dev.claimstream.cli;

import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.api.AllocationHandover;
import dev.claimstream.kubernetes.api.AllocationHandover.ServiceWorkload;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Hands the allocation of devices in a Kubernetes cluster back to kube-scheduler. */
@Command(
        name = "leave",
        mixinStandardHelpOptions = true,
        header = "Hand the allocation of devices in a Kubernetes cluster back to kube-scheduler.",
        description = {
            "",
            "Delete the binding of the gate, stop the workloads of --stop one after the other, delete the binding of"
                    + " the single writer, and remove the gate of Claimstream from every pod that still has it."
                    + " Allocations stay. Kafka is not needed.",
            "",
            "Name the allocator before the writer: the writer then commits the existing decisions.",
            "",
            "Stop every other allocator, writer and 'claimstream up' first: two programs that allocate can allocate"
                    + " one device twice. The other objects of deploy/policies stay: delete them afterwards. The command"
                    + " can be repeated.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no pod has the gate",
            "1:the cluster does not respond, or rejects a step; the steps before stay"
        },
        footer = {
            "",
            "Example: claimstream leave --kubeconfig ~/.kube/config --stop"
                    + " statefulset/claimstream-allocator,deployment/claimstream-writer"
        })
final class LeaveCommand implements Callable<Integer> {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** API servers learn of a deleted binding one after the other; pods that are created until then have the gate. */
    private static final Duration WITHOUT_GATES = Duration.ofSeconds(6);

    @Mixin
    private ApiClusterAccess cluster;

    @Option(
            names = "--stop",
            paramLabel = "KIND/NAME",
            split = ",",
            description =
                    "Workloads to scale to 0 in this order, as statefulset/NAME or deployment/NAME, separated by commas.")
    private List<String> stop = new ArrayList<>();

    @Option(
            names = "--ignore-not-found",
            description =
                    "Continue if a workload of --stop does not exist, as after a failed installation, and no pod of it runs.")
    private boolean ignoresMissing;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NS",
            defaultValue = "claimstream",
            description = "Namespace of the workloads. Default: claimstream.")
    private String namespace;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "240",
            description = "Maximum time for all steps. Default: 240.")
    private int timeout;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private LeaveCommand() {}

    @Override
    public Integer call() {
        if (timeout < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--timeout %d is too short: use 1 or more seconds".formatted(timeout));
        }
        List<ServiceWorkload> workloads = workloads();
        PrintWriter out = spec.commandLine().getOut();
        long start = System.nanoTime();
        try (var handover = AllocationHandover.open(cluster.access())) {
            out.println(state("binding claimstream-gate", handover.deleteGateBinding()));
            out.flush();
            for (ServiceWorkload workload : workloads) {
                out.println(workload + (stop(handover, workload, start) ? " scaled to 0" : " absent")
                        + ", all pods have ended");
                out.flush();
            }
            out.println(state("binding claimstream-single-writer", handover.deleteWriterBinding()));
            out.println("gate removed from pods: " + removeGates(handover, start));
            out.flush();
            return ExitCodes.SUCCESS;
        } catch (ClusterFault e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunFailure("interrupted: run the command again");
        }
    }

    private static String state(String object, boolean wasThere) {
        return object + (wasThere ? " deleted" : " absent");
    }

    /** Returns whether the workload exists. */
    private boolean stop(AllocationHandover handover, ServiceWorkload workload, long start)
            throws InterruptedException {
        boolean exists = handover.scaleToZero(workload);
        if (!exists && !ignoresMissing) {
            throw new RunFailure("%s does not exist in namespace %s: correct --stop or -n, and run the command again"
                    .formatted(workload, namespace));
        }
        for (Optional<String> running = handover.running(workload);
                running.isPresent();
                running = handover.running(workload)) {
            if (isOver(start)) {
                throw new RunFailure("%s %s after %d s (%s): %s, and run the command again"
                        .formatted(
                                workload,
                                exists ? "has not ended" : "is absent, and its pods have not ended",
                                timeout,
                                running.get(),
                                exists ? "find out why" : "delete them"));
            }
            pause();
        }
        return exists;
    }

    private int removeGates(AllocationHandover handover, long start) throws InterruptedException {
        long lastGate = System.nanoTime();
        int removed = 0;
        while (System.nanoTime() - lastGate < WITHOUT_GATES.toNanos()) {
            int now = handover.removeGates();
            removed += now;
            if (now > 0) {
                lastGate = System.nanoTime();
            }
            if (isOver(start)) {
                throw new RunFailure(
                        "pods still had the gate after %d s: if another program creates the binding claimstream-gate again,"
                                        .formatted(timeout)
                                + " stop it, and run the command again");
            }
            pause();
        }
        return removed;
    }

    private boolean isOver(long start) {
        return System.nanoTime() - start > TimeUnit.SECONDS.toNanos(timeout);
    }

    private static void pause() throws InterruptedException {
        var unused = new CountDownLatch(1).await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private List<ServiceWorkload> workloads() {
        try {
            return stop.stream()
                    .map(text -> ServiceWorkload.parse(namespace, text))
                    .toList();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--stop " + e.getMessage());
        }
    }
}
