package dev.claimstream.kubernetes.miniature;

import dev.claimstream.kubernetes.ClusterFault;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Work on the objects. Its caller waits until the result is durable. */
final class ClusterTask<T> {
    private final Function<ClusterState, T> work;
    private final CompletableFuture<T> future = new CompletableFuture<>();
    private Optional<T> result = Optional.empty();

    ClusterTask(Function<ClusterState, T> work) {
        this.work = work;
    }

    void run(ClusterState state) {
        result = Optional.of(work.apply(state));
    }

    void complete() {
        future.complete(result.orElseThrow());
    }

    void fail(RuntimeException cause) {
        future.completeExceptionally(cause);
    }

    /**
     * Waits for the result.
     *
     * @throws ClusterFault if the result is not known to be durable
     */
    T await() {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof ClusterFault fault) {
                throw ClusterFault.withRemedy(fault.problem(), fault.remedy(), fault);
            }
            throw e;
        }
    }
}
