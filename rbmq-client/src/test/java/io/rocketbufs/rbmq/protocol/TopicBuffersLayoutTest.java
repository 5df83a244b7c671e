package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class TopicBuffersLayoutTest {
    private static final BuffersLayout.Entry FIRST = new BuffersLayout.Entry(17, 5, 1 << 20);
    private static final BuffersLayout.Entry SECOND = new BuffersLayout.Entry(-1, 6, 1L << 40);

    @Test
    void shouldWriteTheBytesThatTheDocumentDraws() {
        byte[] body = new byte[25];
        TopicBuffersLayout.write(7, "a/", List.of(FIRST)).get(body);
        assertThat(body)
                .containsExactly(14, 1, 0, 0, 0, 7, 2, 'a', '/', 0, 0, 0, 17, 0, 0, 0, 5, 0, 0, 0, 0, 0, 16, 0, 0);
    }

    @Test
    void shouldReadWhatItWrites() {
        ByteBuffer message = TopicBuffersLayout.write(-7, "\u00e4".repeat(127), List.of(FIRST, SECOND));
        assertThat(RbmqMessage.type(message)).isEqualTo(RbmqType.TOPIC_BUFFERS);
        assertThat(TopicBuffersLayout.subscription(message)).isEqualTo(-7);
        assertThat(TopicBuffersLayout.topic(message)).isEqualTo("\u00e4".repeat(127));
        assertThat(TopicBuffersLayout.count(message)).isEqualTo(2);
        assertThat(TopicBuffersLayout.entry(message, 0)).isEqualTo(FIRST);
        assertThat(TopicBuffersLayout.entry(message, 1)).isEqualTo(SECOND);
    }

    @Test
    void shouldFitIntoAControlMessageWithTheMostEntriesAndTheLongestName() {
        assertThat(TopicBuffersLayout.write(1, "a".repeat(255), Collections.nCopies(BuffersLayout.MAX_COUNT, FIRST))
                        .remaining())
                .isLessThan(16_376);
    }

    @Test
    void shouldRefuseANameThatIsCutOffOrInvalid() {
        ByteBuffer cut = ByteBuffer.wrap(new byte[] {0, 0, 0, 7, 2, 'a'});
        assertThatThrownBy(() -> TopicBuffersLayout.topic(cut))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("a list of buffers with a topic of 2 bytes, cut off after 1 bytes");
        ByteBuffer invalid = ByteBuffer.wrap(new byte[] {0, 0, 0, 7, 1, '#'});
        assertThatThrownBy(() -> TopicBuffersLayout.topic(invalid))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("a list of buffers with an invalid name: topic=\"#\"");
        ByteBuffer tooShort = ByteBuffer.wrap(new byte[] {14, 1, 0, 0, 0, 7});
        assertThatThrownBy(() -> RbmqMessage.type(tooShort))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("TOPIC_BUFFERS has a body of only 4 bytes");
    }
}
