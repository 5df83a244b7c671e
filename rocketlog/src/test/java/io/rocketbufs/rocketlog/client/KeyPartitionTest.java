package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

final class KeyPartitionTest {
    @Test
    void shouldChooseThePartitionThatKafkasClientsChoose() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] key = new byte[random.nextInt(40)];
            random.nextBytes(key);
            int partitions = 1 + random.nextInt(50);
            assertThat(KeyPartition.of(ByteBuffer.wrap(key), partitions))
                    .isEqualTo(Utils.toPositive(Utils.murmur2(key)) % partitions);
        }
    }
}
