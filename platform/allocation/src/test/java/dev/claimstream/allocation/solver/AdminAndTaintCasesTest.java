package dev.claimstream.allocation.solver;

import static dev.claimstream.allocation.solver.Case.named;

import dev.claimstream.allocation.sample.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs upstream's table of allocator tests, part five: admin access and taints. */
class AdminAndTaintCasesTest {
    private static final String[] TWO = {"device-1", "device-2"};

    @TestFactory
    Stream<DynamicTest> adminAccess() {
        return Stream.of(
                named("admin-access-enabled")
                        .pool("pool-1", TWO)
                        .held("pool-1", TWO)
                        .claim("req-0: 1 class-a admin")
                        .gives("req-0 pool-1/device-1!")
                        .fits(),
                named("all-devices-some-allocated-admin-access")
                        .pool("pool-1", TWO)
                        .held("pool-1", "device-1")
                        .claim("req-0: all class-a admin")
                        .gives("req-0 pool-1/device-1!", "req-0 pool-1/device-2!")
                        .fits(),
                named("all-devices-some-allocating-admin-access")
                        .pool("pool-1", TWO)
                        .claim("req-0: 1 class-a; req-1: all class-a admin")
                        .misses(Reason.DoesNotFit),
                named("count-devices-some-allocated-admin-access")
                        .pool("pool-1", TWO)
                        .held("pool-1", "device-1")
                        .claim("req-0: 2 class-a admin")
                        .gives("req-0 pool-1/device-1!", "req-0 pool-1/device-2!")
                        .fits(),
                named("separate-claims-share-device-admin-access")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a admin")
                        .claim("req-0: 1 class-a admin")
                        .gives("req-0 pool-1/device-1!")
                        .gives("req-0 pool-1/device-1!")
                        .fits(),
                named("admin-access-claims-device-allocating-for-non-admin-access")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a")
                        .claim("req-0: 1 class-a admin")
                        .gives("req-0 pool-1/device-1")
                        .gives("req-0 pool-1/device-1!")
                        .fits(),
                named("a device under admin access is not given to a later claim of the same item")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a admin")
                        .claim("req-0: 1 class-a")
                        .misses(Reason.DoesNotFit));
    }

    @TestFactory
    Stream<DynamicTest> taints() {
        return Stream.of(
                named("tainted-two-devices")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule", "device-2 !dead=yes:NoExecute")
                        .claim("req-0: 1 class-a")
                        .misses(Reason.Tainted),
                named("tainted-one-device-two-taints")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule !hot=yes:NoSchedule")
                        .claim("req-0: 1 class-a ~dead=yes")
                        .misses(Reason.Tainted),
                named("tainted-two-devices-tolerated")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule", "device-2 !dead=yes:NoExecute")
                        .claim("req-0: 1 class-a ~dead=yes:NoExecute")
                        .gives("req-0 pool-1/device-2")
                        .fits(),
                named("tainted-no-effect")
                        .pool("pool-1", "device-1 !dead=yes:None", "device-2 !dead=yes:Unheard")
                        .claim("req-0: 2 class-a")
                        .gives("req-0 pool-1/device-1", "req-0 pool-1/device-2")
                        .fits(),
                named("tainted-one-device-two-taints-both-tolerated")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule !hot=yes:NoSchedule")
                        .claim("req-0: 1 class-a ~dead=yes ~hot")
                        .gives("req-0 pool-1/device-1")
                        .fits(),
                named("tainted-all-devices-single")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule")
                        .claim("req-0: all class-a")
                        .misses(Reason.Tainted),
                named("tainted-prioritized-list")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule")
                        .claim("req-0: sub-0= 1 class-a | sub-1= 1 class-a")
                        .misses(Reason.Tainted),
                named("tainted-two-devices-prioritized-list-tolerated")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule", "device-2 !dead=yes:NoExecute")
                        .claim("req-0: sub-0= 1 class-a | sub-1= 1 class-a ~dead")
                        .gives("req-0/sub-1 pool-1/device-1")
                        .fits(),
                named("tainted-admin-access")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule")
                        .claim("req-0: 1 class-a admin")
                        .misses(Reason.Tainted),
                named("an empty key tolerates every key")
                        .pool("pool-1", "device-1 !dead=yes:NoSchedule")
                        .claim("req-0: 1 class-a ~*=yes")
                        .gives("req-0 pool-1/device-1")
                        .fits(),
                named("a rule taints what it names")
                        .pool("pool-1", "device-1", "device-2")
                        .rule(Objects.taintRule("rule", "drain:NoSchedule", "", "pool-1", "device-1"))
                        .claim("req-0: 1 class-a")
                        .gives("req-0 pool-1/device-2")
                        .fits(),
                named("a rule whose selector names nothing taints everything")
                        .pool("pool-1", "device-1", "device-2")
                        .rule(Objects.taintRule("rule", "drain:NoSchedule", "", "", ""))
                        .claim("req-0: 1 class-a")
                        .misses(Reason.Tainted));
    }
}
