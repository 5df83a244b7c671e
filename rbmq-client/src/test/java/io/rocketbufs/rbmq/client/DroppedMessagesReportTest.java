package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the report of dropped messages to the application. */
final class DroppedMessagesReportTest {
    @Test
    void shouldNameTheOtherTopicsAlthoughTheCallbackFails() {
        DroppedMessages dropped = new DroppedMessages();
        dropped.add("a", 1);
        dropped.add("b", 2);
        List<String> told = new ArrayList<>();
        dropped.tell(new PublisherCallback() {
            @Override
            public void onDropped(String topic, long count) {
                told.add(topic + count);
                throw new IllegalStateException("thrown by the application");
            }
        });
        assertThat(told).containsExactly("a1", "b2");
    }
}
