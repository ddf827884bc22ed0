import type { Random } from '../generated-list.ts'
import type { Word } from './pool.ts'

/**
 * Family names with their bearers in 10,000 people (NCIIC 2008: all registered people born from 1930 to 2008), pinyin and
 * Wade-Giles. The hundred commonest are those of 86 % of all Chinese (Ministry of Public Security, 2019).
 */
const familyTable = `
  王:749:Wang 李:737:Li 张:703:Zhang:Chang 刘:531:Liu 陈:455:Chen:Ch'en 杨:337:Yang 黄:235:Huang 赵:211:Zhao:Chao 吴:200:Wu 周:196:Zhou:Chou
  徐:150:Xu:Hsu 孙:146:Sun 朱:132:Zhu:Chu 马:131:Ma 胡:120:Hu 郭:115:Guo:Kuo 何:107:He:Ho 高:104:Gao:Kao 罗:99:Luo:Lo 林:98:Lin 郑:91:Zheng:Cheng
  梁:84:Liang 谢:75:Xie:Hsieh 宋:73:Song:Sung 唐:71:Tang:T'ang 韩:64:Han 许:64:Xu:Hsu 冯:63:Feng 邓:62:Deng:Teng 曹:62:Cao:Ts'ao
  彭:59:Peng:P'eng 曾:57:Zeng:Tseng 肖:55:Xiao:Hsiao 田:54:Tian:T'ien 董:53:Dong:Tung 袁:52:Yuan 于:51:Yu 潘:51:Pan:P'an 蒋:49:Jiang:Chiang
  杜:49:Du:Tu 蔡:49:Cai:Ts'ai 余:48:Yu 程:47:Cheng:Ch'eng 魏:46:Wei 叶:46:Ye:Yeh 吕:45:Lu 丁:45:Ding:Ting 苏:45:Su 任:43:Ren:Jen 沈:42:Shen
  姚:42:Yao 姜:41:Jiang:Chiang 卢:41:Lu 崔:40:Cui:Ts'ui 钟:39:Zhong:Chung 谭:38:Tan:T'an 汪:38:Wang 范:38:Fan 陆:37:Lu 金:37:Jin:Chin 石:35:Shi:Shih
  廖:35:Liao 贾:35:Jia:Chia 夏:33:Xia:Hsia 付:33:Fu 方:32:Fang 韦:31:Wei 邹:31:Zou:Tsou 白:30:Bai:Pai 熊:30:Xiong:Hsiung 孟:30:Meng 秦:30:Qin:Ch'in
  邱:28:Qiu:Ch'iu 尹:27:Yin 江:27:Jiang:Chiang 薛:27:Xue:Hsueh 侯:26:Hou 段:25:Duan:Tuan 雷:25:Lei 史:22:Shi:Shih 龙:22:Long:Lung 陶:22:Tao:T'ao
  顾:22:Gu:Ku 贺:21:He:Ho 黎:21:Li 郝:21:Hao 毛:21:Mao 邵:21:Shao 龚:21:Gong:Kung 万:20:Wan 钱:19:Qian:Ch'ien 武:19:Wu 严:19:Yan:Yen 戴:19:Dai:Tai
  孔:18:Kong:K'ung 向:18:Xiang:Hsiang 常:17:Chang:Ch'ang 汤:17:Tang:T'ang 莫:17:Mo 康:16:Kang:K'ang 温:16:Wen 牛:16:Niu 赖:16:Lai 洪:15:Hong:Hung
  葛:15:Ge:Ko 施:15:Shi:Shih 邢:15:Xing:Hsing 安:15:An 樊:14:Fan 齐:14:Qi:Ch'i 乔:14:Qiao:Ch'iao 易:14:Yi 庞:13:Pang:P'ang 倪:13:Ni 聂:12:Nie:Nieh
  岳:12:Yue:Yueh 殷:12:Yin 翟:12:Zhai:Chai 申:11:Shen 耿:11:Geng:Keng 欧:11:Ou 庄:11:Zhuang:Chuang 左:10:Zuo:Tso 焦:10:Jiao:Chiao 关:10:Guan:Kuan
  柳:10:Liu 甘:10:Gan:Kan 祝:9:Zhu:Chu 包:9:Bao:Pao 尚:9:Shang 毕:9:Bi:Pi 舒:8:Shu 宁:8:Ning 曲:8:Qu:Ch'u 梅:8:Mei 童:8:Tong:T'ung 纪:8:Ji:Chi
  苗:8:Miao 裴:8:Pei:P'ei 谷:8:Gu:Ku 凌:8:Ling 霍:8:Huo 盛:8:Sheng 詹:8:Zhan:Chan 路:7:Lu 骆:7:Luo:Lo 辛:7:Xin:Hsin 柯:7:Ke:K'o 柴:7:Chai:Ch'ai`

const family = familyTable
  .trim()
  .split(/\s+/)
  .map((each) => {
    const [own = '', bearers = '0', listed = '', other = listed] = each.split(':')
    return { word: { own, latin: [listed, listed, other] } satisfies Word, bearers: Number(bearers) }
  })
const allBearers = family.reduce((sum, { bearers }) => sum + bearers, 0)

/** Picks a family name by its bearers. */
export function pickChineseFamily(random: Random): Word {
  let left = random.below(allBearers)
  for (const { word, bearers } of family) {
    left -= bearers
    if (left < 0) return word
  }
  return family[0]!.word
}

const characters = (text: string): Word[] =>
  text
    .trim()
    .split(/\s+/)
    .map((each) => ({ own: each.slice(0, 1), latin: [each.slice(1)] }))

/** Characters of given names, the commonest first. The ranks behind the first fifty are estimates. */
export const chineseMen = characters(`
  明ming 文wen 国guo 军jun 华hua 建jian 伟wei 志zhi 海hai 平ping 林lin 龙long 强qiang 永yong 金jin 春chun 德de 成cheng 杰jie 东dong 峰feng 辉hui 荣rong
  生sheng 涛tao 飞fei 勇yong 小xiao 超chao 鹏peng 波bo 新xin 祥xiang 忠zhong 红hong 刚gang 俊jun 玉yu 光guang 福fu 学xue 兴xing 斌bin 亮liang 洪hong
  宇yu 浩hao 庆qing 云yun 江jiang 良liang 晓xiao 兵bing 立li 利li 清qing 宝bao 胜sheng 贵gui 全quan 民min 磊lei 义yi 振zhen 凯kai 正zheng 元yuan 友you
  才cai 长chang 昌chang 山shan 安an 旭xu 阳yang 鑫xin 健jian 洋yang 世shi 家jia 佳jia 发fa 富fu 宏hong 彬bin 锋feng 雷lei 毅yi 康kang 智zhi 泽ze 翔xiang
  帅shuai 子zi 嘉jia 豪hao 天tian 树shu 仁ren 根gen 保bao 启qi 喜xi 武wu 达da 广guang 景jing 少shao 奇qi 剑jian 坤kun 威wei 维wei 卫wei 亚ya 晨chen 瑞rui
  进jin 顺shun 和he 万wan 士shi 绍shao 继ji 有you 乐le 松song 柏bai 青qing 宁ning 川chuan 南nan 西xi 北bei 方fang 守shou 传chuan 先xian 恩en 克ke 大da
  中zhong 邦bang 培pei 书shu 炳bing 轩xuan 博bo 航hang 昊hao 益yi 仕shi 开kai 连lian 福fu 彪biao 标biao 钢gang 铁tie 泉quan 河he 水shui 火huo 土tu
  银yin 铭ming 钧jun 锦jin 鸿hong 雄xiong 虎hu 豹bao 麟lin 骏jun 驰chi 腾teng 越yue 震zhen 霖lin 霄xiao 云yun 雨yu 晖hui 曦xi 昆kun 仑lun 岩yan 岭ling
  怀huai 恒heng 悦yue 惠hui 慧hui 成cheng 承cheng 敬jing 敏min 效xiao 政zheng 汉han 沛pei 泰tai 润run 淼miao 渊yuan 源yuan 满man 灿can 炎yan 焕huan 煜yu
  尧yao 舜shun 禹yu 汤tang 殿dian 阁ge 台tai 楼lou 廷ting 朝chao 代dai 贤xian 能neng 孝xiao 悌ti 信xin 礼li 廉lian 耀yao 权quan 寿shou 禄lu 财cai 吉ji`)

export const chineseWomen = characters(`
  英ying 丽li 秀xiu 红hong 玉yu 华hua 梅mei 艳yan 小xiao 霞xia 芳fang 兰lan 春chun 玲ling 燕yan 晓xiao 娟juan 凤feng 桂gui 珍zhen 婷ting 敏min 静jing 雪xue
  慧hui 美mei 萍ping 琴qin 云yun 香xiang 花hua 娜na 丹dan 文wen 海hai 平ping 荣rong 莉li 佳jia 雨yu 利li 芬fen 菊ju 爱ai 淑shu 金jin 莲lian 素su 琼qiong
  翠cui 彩cai 秋qiu 月yue 亚ya 青qing 明ming 欣xin 怡yi 梦meng 颖ying 莹ying 倩qian 洁jie 琳lin 雅ya 瑶yao 思si 嘉jia 悦yue 涵han 琪qi 雯wen 丽li 君jun 蓉rong
  蕾lei 薇wei 露lu 媛yuan 婉wan 姗shan 妍yan 妮ni 娇jiao 娥e 嫣yan 宁ning 岚lan 巧qiao 彤tong 心xin 惠hui 敬jing 晴qing 曼man 柳liu 桃tao 梨li 楠nan 樱ying
  水shui 冰bing 波bo 清qing 漫man 焕huan 玫mei 珊shan 珠zhu 瑛ying 瑜yu 璐lu 碧bi 竹zhu 筠yun 紫zi 红hong 群qun 翔xiang 聪cong 芝zhi 芹qin 苗miao 茜qian
  茹ru 荷he 菲fei 萌meng 蓓bei 蓝lan 蕊rui 贞zhen 贤xian 辰chen 迎ying 银yin 锦jin 阳yang 霜shuang 韵yun 馨xin 鸿hong 黎li 仙xian 会hui 连lian 娣di 风feng
  瑞rui 永yong 建jian 国guo 德de 妹mei 存cun 侠xia 俊jun 兴xing 凡fan 卉hui 可ke 叶ye 园yuan 圆yuan 培pei 多duo 好hao 如ru 宇yu 安an 宝bao 宜yi 家jia`)
