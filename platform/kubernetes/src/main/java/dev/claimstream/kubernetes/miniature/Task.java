package dev.claimstream.kubernetes.miniature;

import dev.claimstream.kubernetes.ClusterFault;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Work on the objects. Its caller waits until the result is durable. */
final class Task<T> {
    private final Function<World, T> work;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private Optional<T> result = Optional.empty();

    Task(Function<World, T> work) {
        this.work = work;
    }

    void workOn(World world) {
        result = Optional.of(work.apply(world));
    }

    void kept() {
        answer.complete(result.orElseThrow());
    }

    void failed(RuntimeException why) {
        answer.completeExceptionally(why);
    }

    /**
     * Waits for the result.
     *
     * @throws ClusterFault if the result is not known to be durable
     */
    T await() {
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof ClusterFault fault) {
                throw ClusterFault.with(fault.what(), fault.remedy(), fault);
            }
            throw e;
        }
    }
}
