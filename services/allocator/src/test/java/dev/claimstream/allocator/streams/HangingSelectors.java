package dev.claimstream.allocator.streams;

import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import dev.claimstream.selectors.CelSelectors;
import java.util.concurrent.locks.LockSupport;

/** CEL selectors, except that {@link #EXPRESSION} does not return before {@link #release()}. */
final class HangingSelectors implements Selectors {
    /** An expression that every device satisfies after the release. */
    static final String EXPRESSION = "device.driver != 'hangs'";

    private final Selectors cel = new CelSelectors();
    private volatile boolean isReleased;

    void release() {
        isReleased = true;
    }

    @Override
    public Selector compile(String expression) {
        Selector selector = cel.compile(expression);
        return expression.equals(EXPRESSION) ? new HangingSelector(selector) : selector;
    }

    @Override
    public long compilationCost(String expression) {
        return cel.compilationCost(expression);
    }

    private final class HangingSelector implements Selector {
        private final Selector selector;

        HangingSelector(Selector selector) {
            this.selector = selector;
        }

        @Override
        public Match test(String driver, Device device) {
            hang();
            return selector.test(driver, device);
        }

        @Override
        public String fingerprint() {
            return selector.fingerprint();
        }

        @Override
        public ReadKey key(String driver, Device device) {
            return selector.key(driver, device);
        }

        @Override
        public CostedAnswer<Match> evaluate(String driver, Device device) {
            hang();
            return selector.evaluate(driver, device);
        }
    }

    /** Does not respond to interrupts, like a computation. */
    private void hang() {
        while (!isReleased) {
            LockSupport.parkNanos(10_000_000);
            boolean unused = Thread.interrupted();
        }
    }

    @Override
    public Derivation derive(String expression) {
        return cel.derive(expression);
    }
}
