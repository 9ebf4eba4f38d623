package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Funnel;

/**
 * A 64-bit hash of the explanation of a pending item: FNV-1a over UTF-16 units.
 *
 * <p>Names of the item's own claims are left out, so that items of one shape have the same hash.
 */
final class TextHash {
    private static final long BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;
    private static final char END = '\u0000';

    private long hash = BASIS;

    private TextHash() {}

    static long of(Explanation.ExplanationDetail.Pending pending) {
        var hash = new TextHash();
        hash.add(pending.diagnosis());
        pending.funnels().forEach(hash::add);
        return hash.hash;
    }

    private void add(AllocationPlan.PendingDiagnosis diagnosis) {
        add(diagnosis.reason().name());
        add(diagnosis.message());
        diagnosis.nearest().ifPresent(nearest -> {
            add(nearest.node());
            add(nearest.message());
            for (AllocationPlan.BlockingDevice blocker : nearest.blockers()) {
                add(blocker.device().toString());
                blocker.holders().forEach(holder -> add(holder.toString()));
            }
        });
    }

    private void add(Funnel funnel) {
        add(funnel.request());
        add(funnel.deviceClass());
        add(Long.toString(funnel.requestedCount()));
        for (Funnel.FunnelStage stage : funnel.stages()) {
            add(stage.step().name());
            add(stage.detail());
            add(Long.toString(stage.remaining()));
        }
    }

    private void add(String text) {
        for (int i = 0; i < text.length(); i++) {
            add(text.charAt(i));
        }
        add(END);
    }

    private void add(char unit) {
        hash = (hash ^ unit) * PRIME;
    }
}
