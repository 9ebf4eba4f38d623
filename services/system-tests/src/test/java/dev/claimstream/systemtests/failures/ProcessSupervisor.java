package dev.claimstream.systemtests.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.ComponentProgram;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.Users;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Named processes. A process that ends is restarted, as a supervisor does. */
final class ProcessSupervisor implements AutoCloseable {
    private final Map<String, ProgramStarter> starts = new LinkedHashMap<>();
    private final Map<String, Program> running = new LinkedHashMap<>();
    private final List<String> endMessages = new ArrayList<>();

    interface ProgramStarter {
        Program start() throws IOException;
    }

    /** Adds and starts a process, and waits until it is ready if it is a {@link ComponentProgram}. */
    void add(String name, ProgramStarter start) throws IOException, InterruptedException {
        starts.put(name, start);
        start(name);
    }

    void start(String name) throws IOException, InterruptedException {
        Program program = Objects.requireNonNull(starts.get(name)).start();
        running.put(name, program);
        if (!name.startsWith("allocator")) {
            program.awaitOut(ComponentProgram.READY, Users.PATIENCE);
        }
    }

    void kill(String name) throws InterruptedException {
        Program program = get(name);
        program.kill();
        program.awaitEnd();
    }

    void restartEnded() throws IOException, InterruptedException {
        for (String name : starts.keySet()) {
            Program program = get(name);
            if (!program.isAlive()) {
                endMessages.add(
                        name + ": " + program.err() + program.out().lines().reduce("", (_, last) -> last));
                start(name);
            }
        }
    }

    void assertAlive() {
        assertThat(running)
                .allSatisfy((name, each) -> assertThat(each.isAlive())
                        .as("%s: %s", name, each.err())
                        .isTrue());
    }

    List<String> names() {
        return List.copyOf(starts.keySet());
    }

    Program get(String name) {
        return Objects.requireNonNull(running.get(name));
    }

    @Override
    public void close() {
        running.values().forEach(Program::close);
        System.err.println("ended by themselves: " + endMessages);
    }
}
