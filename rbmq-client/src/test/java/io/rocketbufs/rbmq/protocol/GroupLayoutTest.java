package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class GroupLayoutTest {
    @Test
    void shouldWriteTheBytesThatTheDocumentDraws() {
        byte[] message = new byte[11];
        GroupLayout.write(7, "g", "a/#").get(message);
        assertThat(message).containsExactly(18, 1, 0, 0, 0, 7, 1, 'g', 'a', '/', '#');
    }

    @Test
    void shouldReadWhatItWrites() {
        ByteBuffer message = GroupLayout.write(-7, "\u00e4".repeat(127), "b".repeat(255));
        assertThat(RbmqMessage.type(message)).isEqualTo(RbmqType.GROUP_SUBSCRIBE);
        assertThat(GroupLayout.subscription(message)).isEqualTo(-7);
        assertThat(GroupLayout.group(message)).isEqualTo("\u00e4".repeat(127));
        assertThat(GroupLayout.filter(message)).hasToString("b".repeat(255));
    }

    @Test
    void shouldRefuseANameThatIsCutOffOrInvalid() {
        ByteBuffer cut = ByteBuffer.wrap(new byte[] {0, 0, 0, 7, 2, 'a'});
        assertThatThrownBy(() -> GroupLayout.group(cut))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 2 bytes, but is cut off after 1 bytes");
        ByteBuffer longest = ByteBuffer.wrap(new byte[] {0, 0, 0, 7, -1, 'a'});
        assertThatThrownBy(() -> GroupLayout.group(longest)).hasMessageContaining("has 255 bytes");
        ByteBuffer invalid = ByteBuffer.wrap(new byte[] {0, 0, 0, 7, 1, '#', 'a'});
        assertThatThrownBy(() -> GroupLayout.group(invalid)).hasMessageContaining("invalid name of a group");
        ByteBuffer empty = ByteBuffer.wrap(new byte[] {0, 0, 0, 7, 0, 'a'});
        assertThatThrownBy(() -> GroupLayout.group(empty)).hasMessageContaining("length=0");
        ByteBuffer withoutFilter = ByteBuffer.wrap(new byte[] {0, 0, 0, 7, 1, 'a'});
        assertThatThrownBy(() -> GroupLayout.filter(withoutFilter)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RbmqMessage.type(ByteBuffer.wrap(new byte[] {18, 1, 0, 0, 0, 7})))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("a body of only 4 bytes");
    }
}
