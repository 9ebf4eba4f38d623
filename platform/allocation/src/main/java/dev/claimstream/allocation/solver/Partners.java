package dev.claimstream.allocation.solver;

/** Which devices have what they need beside them: for every request that a constraint binds to theirs, enough free devices of one value. */
final class Partners {
    private Partners() {}

    static boolean[] of(Question question, NodeClass nodeClass, Want want) {
        Layout layout = nodeClass.layout;
        boolean[] partnered = new boolean[layout.size];
        for (int device = 0; device < layout.size; device++) {
            partnered[device] = true;
            for (Bond bond : question.bonds()) {
                if (bond.binds(want.column()) && !bond.distinct()) {
                    partnered[device] &= hasAll(question, nodeClass, bond, layout.value(device, bond.attribute()));
                }
            }
        }
        return partnered;
    }

    private static boolean hasAll(Question question, NodeClass nodeClass, Bond bond, int value) {
        return value >= 0
                && question.requests().get(bond.claim()).stream()
                        .filter(wants -> wants.stream().anyMatch(want -> bond.binds(want.column())))
                        .allMatch(wants -> wants.stream().anyMatch(want -> has(nodeClass, bond, value, want)));
    }

    private static boolean has(NodeClass nodeClass, Bond bond, int value, Want want) {
        long open = 0;
        for (int device = 0; device < nodeClass.layout.size; device++) {
            boolean fits = nodeClass.layout.verdict(device, want.column()) == Verdict.YES
                    && nodeClass.state.has(nodeClass.layout, want, device)
                    && nodeClass.layout.value(device, bond.attribute()) == value;
            open += fits ? 1 : 0;
        }
        return open >= (want.all() ? 1 : want.spec().count());
    }
}
