package dev.claimstream.systemtests.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.standalone.StandalonePorts;
import dev.claimstream.cli.standalone.StandaloneStack;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;

/** The allocator's changelog topics. */
public final class Changelogs {
    private Changelogs() {}

    /** Deletes the changelogs in a data folder that no process uses. */
    public static void delete(Path data, int cells) throws InterruptedException, ExecutionException {
        try (var stack = StandaloneStack.start(data, StandalonePorts.free(), cells);
                var admin = Admin.create(stack.kafka().properties())) {
            Set<String> changelogs = admin.listTopics().names().get().stream()
                    .filter(each -> each.endsWith("-changelog"))
                    .collect(Collectors.toSet());
            assertThat(changelogs).isNotEmpty();
            admin.deleteTopics(changelogs).all().get();
        }
    }
}
