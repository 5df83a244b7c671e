package io.rocketbufs.rbmq.test;

import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import java.util.ArrayList;
import java.util.List;

/**
 * The losses and errors of the clients of one test or of one test class.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Incidents implements SubscriberCallback {
    /**
     * Maximum number of incidents described in full. It is limited because a handler may fail for millions of messages.
     */
    private static final int MOST = 10;

    private final RbmqTest allowed;
    private final List<String> texts = new ArrayList<>();
    private final List<Throwable> causes = new ArrayList<>();
    private long count;

    Incidents(RbmqTest allowed) {
        this.allowed = allowed;
    }

    @Override
    public void onGap(Gap gap) {
        if (!allowed.allowGaps()) {
            add(
                    "a subscriber to topic \"" + gap.topic() + "\" "
                            + (gap.isKnown()
                                    ? "lost " + gap.lostLength() + " bytes of publisher " + gap.publisher()
                                    : "may have lost messages")
                            + ", because " + cause(gap) + "; if the test expects this, set allowGaps = true",
                    null);
        }
    }

    private static String cause(Gap gap) {
        return switch (gap.reason()) {
            case SKIPPED -> "it was too slow or joined too late";
            case DISCONNECTED -> "it was paused when its connection ended";
            case RECONNECTED, PUBLISHER_LEFT, OTHER_BROKER -> "its connection was lost";
        };
    }

    @Override
    public void onError(String topic, int publisher, Throwable error) {
        if (!allowed.allowErrors()) {
            String what = publisher == 0
                    ? "a subscription to filter \"" + topic + "\" is incomplete: "
                    : "a subscriber to topic \"" + topic + "\" failed on a message of publisher " + publisher + ": ";
            add(what + error + "; if the test expects this, set allowErrors = true", error);
        }
    }

    private synchronized void add(String text, Throwable cause) {
        count++;
        if (texts.size() < MOST) {
            texts.add(text);
            if (cause != null) {
                causes.add(cause);
            }
        }
    }

    /**
     * Fails if there have been incidents since the last call. The exceptions of handlers are added to the failure as
     * suppressed exceptions.
     */
    synchronized void check() {
        if (count == 0) {
            return;
        }
        String title = count == 1 ? "an @RbmqTest had an incident:" : "an @RbmqTest had " + count + " incidents:";
        String more = count > texts.size() ? "\n- and " + (count - texts.size()) + " more" : "";
        AssertionError failure = new AssertionError(title + "\n- " + String.join("\n- ", texts) + more);
        causes.forEach(failure::addSuppressed);
        texts.clear();
        causes.clear();
        count = 0;
        throw failure;
    }
}
