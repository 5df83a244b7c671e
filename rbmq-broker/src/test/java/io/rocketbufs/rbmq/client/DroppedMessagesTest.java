package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.LoggedLines;
import io.rocketbufs.rbmq.protocol.InboxName;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class DroppedMessagesTest {
    private static final String INBOX = InboxName.random();
    private static final String WHY = ", because the broker had not confirmed them when the connection was lost";

    private final LoggedLines logged = new LoggedLines();
    private final DroppedMessages dropped = new DroppedMessages();

    @AfterEach
    void close() {
        logged.close();
    }

    private List<String> told() {
        List<String> told = new ArrayList<>();
        dropped.tell(new PublisherCallback() {
            @Override
            public void onDropped(String topic, long count) {
                told.add(topic + " " + count);
            }
        });
        return told;
    }

    @Test
    void shouldReportNothingIfEverythingWasConfirmed() {
        dropped.add("a", 0);
        dropped.addReplies(0);
        dropped.log();
        assertThat(logged.with("Dropped")).isEmpty();
        assertThat(told()).isEmpty();
    }

    @Test
    void shouldLogAllMessagesOnOneLineAndReportThemForEachTopic() {
        dropped.add("b", 3);
        dropped.add("a", 4);
        dropped.add(INBOX, 1);
        dropped.log();
        assertThat(logged.with("Dropped"))
                .containsExactly("WARN Dropped 7 messages of 2 topics such as \"b\" and 1 reply" + WHY);
        assertThat(told()).containsExactly("b 3", "a 4");
    }

    @Test
    void shouldNameASingleTopic() {
        dropped.add("a", 1);
        dropped.log();
        assertThat(logged.with("Dropped")).containsExactly("WARN Dropped 1 message of topic \"a\"" + WHY);
    }

    @Test
    void shouldLogRepliesWithoutTheNameOfTheInbox() {
        dropped.add(INBOX, 2);
        dropped.addReplies(3);
        dropped.log();
        assertThat(logged.with("Dropped")).containsExactly("WARN Dropped 5 replies" + WHY);
        assertThat(told()).isEmpty();
    }
}
