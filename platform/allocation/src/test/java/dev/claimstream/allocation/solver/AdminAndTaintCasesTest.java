package dev.claimstream.allocation.solver;

import static dev.claimstream.allocation.solver.UpstreamCase.testCase;

import dev.claimstream.allocation.sample.SampleObjects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs upstream's table of allocator tests, part five: admin access and taints. */
class AdminAndTaintCasesTest {
    private static final String[] TWO = {"device-1", "device-2"};

    @TestFactory
    Stream<DynamicTest> allocatesWithAdminAccess() {
        return Stream.of(
                testCase("admin-access-enabled")
                        .pool("pool-1", TWO)
                        .allocated("pool-1", TWO)
                        .claim("req-0: 1 class-a admin")
                        .expectDevices("req-0 pool-1/device-1!")
                        .shouldAllocate(),
                testCase("all-devices-some-allocated-admin-access")
                        .pool("pool-1", TWO)
                        .allocated("pool-1", "device-1")
                        .claim("req-0: all class-a admin")
                        .expectDevices("req-0 pool-1/device-1!", "req-0 pool-1/device-2!")
                        .shouldAllocate(),
                testCase("all-devices-some-allocating-admin-access")
                        .pool("pool-1", TWO)
                        .claim("req-0: 1 class-a; req-1: all class-a admin")
                        .shouldStayPending(Reason.DoesNotFit),
                testCase("count-devices-some-allocated-admin-access")
                        .pool("pool-1", TWO)
                        .allocated("pool-1", "device-1")
                        .claim("req-0: 2 class-a admin")
                        .expectDevices("req-0 pool-1/device-1!", "req-0 pool-1/device-2!")
                        .shouldAllocate(),
                testCase("separate-claims-share-device-admin-access")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a admin")
                        .claim("req-0: 1 class-a admin")
                        .expectDevices("req-0 pool-1/device-1!")
                        .expectDevices("req-0 pool-1/device-1!")
                        .shouldAllocate(),
                testCase("admin-access-claims-device-allocating-for-non-admin-access")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a")
                        .claim("req-0: 1 class-a admin")
                        .expectDevices("req-0 pool-1/device-1")
                        .expectDevices("req-0 pool-1/device-1!")
                        .shouldAllocate(),
                testCase("a device under admin access is not given to a later claim of the same item")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a admin")
                        .claim("req-0: 1 class-a")
                        .shouldStayPending(Reason.DoesNotFit));
    }

    @TestFactory
    Stream<DynamicTest> respectsTaintsAndTolerations() {
        return Stream.of(
                testCase("tainted-two-devices")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule", "device-2 !dead=yes:NoExecute")
                        .claim("req-0: 1 class-a")
                        .shouldStayPending(Reason.Tainted),
                testCase("tainted-one-device-two-taints")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule !hot=yes:NoSchedule")
                        .claim("req-0: 1 class-a ~dead=yes")
                        .shouldStayPending(Reason.Tainted),
                testCase("tainted-two-devices-tolerated")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule", "device-2 !dead=yes:NoExecute")
                        .claim("req-0: 1 class-a ~dead=yes:NoExecute")
                        .expectDevices("req-0 pool-1/device-2")
                        .shouldAllocate(),
                testCase("tainted-no-effect")
                        .pool("pool-1", "device-1 !dead=yes:None", "device-2 !dead=yes:Unheard")
                        .claim("req-0: 2 class-a")
                        .expectDevices("req-0 pool-1/device-1", "req-0 pool-1/device-2")
                        .shouldAllocate(),
                testCase("tainted-one-device-two-taints-both-tolerated")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule !hot=yes:NoSchedule")
                        .claim("req-0: 1 class-a ~dead=yes ~hot")
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate(),
                testCase("tainted-all-devices-single")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule")
                        .claim("req-0: all class-a")
                        .shouldStayPending(Reason.Tainted),
                testCase("tainted-prioritized-list")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule")
                        .claim("req-0: sub-0= 1 class-a | sub-1= 1 class-a")
                        .shouldStayPending(Reason.Tainted),
                testCase("tainted-two-devices-prioritized-list-tolerated")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule", "device-2 !dead=yes:NoExecute")
                        .claim("req-0: sub-0= 1 class-a | sub-1= 1 class-a ~dead")
                        .expectDevices("req-0/sub-1 pool-1/device-1")
                        .shouldAllocate(),
                testCase("tainted-admin-access")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule")
                        .claim("req-0: 1 class-a admin")
                        .shouldStayPending(Reason.Tainted),
                testCase("an empty key tolerates every key")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule")
                        .claim("req-0: 1 class-a ~*=yes")
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate(),
                testCase("a rule taints what it names")
                        .pool("pool-1", "device-1", "device-2")
                        .rule(SampleObjects.taintRule("rule", "drain:NoSchedule", "", "pool-1", "device-1"))
                        .claim("req-0: 1 class-a")
                        .expectDevices("req-0 pool-1/device-2")
                        .shouldAllocate(),
                testCase("a rule whose selector names nothing taints everything")
                        .pool("pool-1", "device-1", "device-2")
                        .rule(SampleObjects.taintRule("rule", "drain:NoSchedule", "", "", ""))
                        .claim("req-0: 1 class-a")
                        .shouldStayPending(Reason.Tainted));
    }
}
