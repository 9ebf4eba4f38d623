package dev.claimstream.systemtests.monitoring;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Freezes single threads of another JVM with its debug interface, while all other threads run on. SIGSTOP would also
 * stop the thread that answers Prometheus.
 */
final class ThreadFreezer implements AutoCloseable {
    private static final String SELECTORS = CelSelectors.class.getName();
    private static final String COMPILE = "compile";
    private static final long PATIENCE_S = 120;

    private final VirtualMachine machine;
    private final String expression;
    private final CountDownLatch frozen = new CountDownLatch(1);
    private volatile Optional<RuntimeException> failure = Optional.empty();

    private ThreadFreezer(VirtualMachine machine, String expression) {
        this.machine = machine;
        this.expression = expression;
    }

    /** Returns the JVM option of a process that waits at its start until a freezer is attached. */
    static String option(int port) {
        return "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,quiet=y,address=127.0.0.1:" + port;
    }

    /**
     * Attaches to a process and lets it start.
     *
     * @param expression a CEL selector; each thread that compiles it stays frozen, like an evaluation that does not end
     */
    static ThreadFreezer attach(int port, String expression) throws InterruptedException {
        var freezer = new ThreadFreezer(connect(port), expression);
        freezer.machine.classesByName(SELECTORS).forEach(freezer::watchCompilation);
        ClassPrepareRequest prepared = freezer.machine.eventRequestManager().createClassPrepareRequest();
        prepared.addClassFilter(SELECTORS);
        prepared.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        prepared.enable();
        Thread.ofPlatform().daemon().name("freezer").start(freezer::followEvents);
        return freezer;
    }

    private static VirtualMachine connect(int port) throws InterruptedException {
        AttachingConnector connector = Bootstrap.virtualMachineManager().attachingConnectors().stream()
                .filter(each -> each.name().equals("com.sun.jdi.SocketAttach"))
                .findFirst()
                .orElseThrow();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        Objects.requireNonNull(arguments.get("hostname")).setValue("127.0.0.1");
        Objects.requireNonNull(arguments.get("port")).setValue(Integer.toString(port));
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (true) {
            try {
                return connector.attach(arguments);
            } catch (IOException e) {
                if (System.nanoTime() > limit) {
                    throw new AssertionError("no debug interface at port " + port, e);
                }
                TimeUnit.MILLISECONDS.sleep(50);
            } catch (IllegalConnectorArgumentsException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void watchCompilation(ReferenceType selectors) {
        BreakpointRequest request = machine.eventRequestManager()
                .createBreakpointRequest(
                        selectors.methodsByName(COMPILE).getFirst().location());
        request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        request.enable();
    }

    private void followEvents() {
        try {
            while (true) {
                EventSet events = machine.eventQueue().remove();
                boolean isFrozen = false;
                for (Event event : events) {
                    switch (event) {
                        case ClassPrepareEvent prepared -> watchCompilation(prepared.referenceType());
                        case BreakpointEvent reached -> isFrozen = compilesExpression(reached.thread());
                        default -> {}
                    }
                }
                if (isFrozen) {
                    frozen.countDown();
                } else {
                    events.resume();
                }
            }
        } catch (VMDisconnectedException e) {
            // the process has ended
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failure = Optional.of(e);
        }
    }

    private boolean compilesExpression(ThreadReference thread) {
        try {
            return thread.frame(0).getArgumentValues().getFirst() instanceof StringReference text
                    && text.value().equals(expression);
        } catch (IncompatibleThreadStateException e) {
            throw new IllegalStateException("the thread at a breakpoint is not suspended", e);
        }
    }

    /** Waits until a thread has begun to compile the expression. */
    void awaitFrozen() throws InterruptedException {
        if (!frozen.await(PATIENCE_S, TimeUnit.SECONDS)) {
            throw new AssertionError("no thread compiles %s; %s".formatted(expression, failure));
        }
    }

    /** Freezes the thread of this name. */
    void freeze(String thread) {
        named(thread).suspend();
    }

    /** Lets a frozen thread continue. */
    void release(String thread) {
        named(thread).resume();
    }

    private ThreadReference named(String name) {
        return machine.allThreads().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no thread " + name));
    }

    @Override
    public void close() {
        try {
            machine.dispose();
        } catch (VMDisconnectedException e) {
            // the process has ended
        }
    }
}
