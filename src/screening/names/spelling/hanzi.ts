// Chinese characters that are common in names, by their reading in names (单 is Shan, 曾 Zeng). A name with another
// character is unreadable: it cannot be compared with a list in Latin letters.
const readings = `
  an安 ao敖 bai白柏 ban班 bao包鲍宝保 bei贝蓓 ben本 bi毕碧 bian卞边 bin斌彬滨宾 bing冰炳兵 bo波博伯 bu卜步 cai蔡才彩 cao曹 cen岑
  chang常昌长 chao超朝潮 che车 chen陈晨辰沉 cheng程成城诚承 chi池 chong崇 chu褚楚储初 chuan川传 chun春纯 cong丛聪从 cui崔翠 da大达
  dai戴代 dan丹旦 dang党 de德 deng邓登 di狄迪 ding丁定 dong董东冬栋 dou窦 du杜 duan段 e鄂 en恩 er尔 fan范樊凡帆 fang方房芳
  fei费飞菲 fen芬 feng冯封峰锋凤丰风 fu傅符付富福甫 gan甘 gang刚钢 gao高 ge葛戈歌 geng耿 gong龚宫公 gou苟 gu顾古谷 guan关管冠
  guang广光 gui桂贵 guo郭国果 hai海 han韩汉涵寒 hang杭航 hao郝浩昊豪好 he何贺和禾赫河荷 hong洪红宏弘鸿 hou侯 hu胡虎湖 hua华花化
  huai怀 huan欢环焕 huang黄煌 hui惠辉慧会晖 huo霍 ji季纪吉姬继济 jia贾家佳嘉甲 jian简建健剑坚 jiang江姜蒋将 jiao焦娇 jie杰洁捷
  jin金靳晋锦进瑾 jing景静晶京敬井 jiong炯 ju鞠居菊 juan娟 jun军君俊峻钧 kai凯开 kang康 ke柯克科可 kong孔 kuang匡邝 kun坤昆 lai赖来
  lan兰蓝岚 lang郎 lao劳 le乐 lei雷磊蕾 leng冷 li李黎厉利丽莉立力理礼 lian连莲廉 liang梁良亮 liao廖 lin林琳霖临 ling凌玲灵岭
  liu刘柳六 long龙隆 lou娄楼 lu陆卢鲁路吕禄璐 luan栾 lun伦 luo罗骆洛 ma马麻 mai麦 man满曼 mao毛茅茂 mei梅美 meng孟蒙梦萌 mi米
  miao苗 min闵民敏 ming明铭鸣名 mo莫墨 mu穆木牧慕 na娜 nan南楠 ni倪妮 nie聂 ning宁 niu牛 ou欧 pan潘盘 pang庞 pei裴培佩沛 peng彭鹏朋
  pi皮 ping平萍 pu蒲朴 qi齐戚祁琪奇启琦 qian钱千倩谦 qiang强 qiao乔巧 qin秦琴勤 qing青清庆晴卿 qiu邱秋丘 qu曲屈瞿 quan全权泉 que阙
  ran冉然 rao饶 ren任仁人 rong荣容蓉 rou柔 ru茹如 ruan阮 rui芮瑞睿锐 run润 sai赛 san三 sha沙莎 shan单山珊善 shang尚商 shao邵少绍
  she佘 shen沈申慎 sheng盛生胜升 shi石史施时世诗实士 shou寿 shu舒书淑树 shuai帅 shuang双爽 shui水 shun顺 si司思斯四 song宋松 su苏素
  sui隋岁 sun孙 tai太泰 tan谭谈 tang唐汤棠 tao陶涛桃 teng滕腾 tian田天 tie铁 ting婷庭廷 tong童佟彤同桐 tu涂屠 wan万婉 wang王汪旺望
  wei魏韦卫伟威维薇巍玮 wen温文闻雯 weng翁 wu吴武伍邬五 xi席奚西喜希熙曦 xia夏霞 xian冼先贤娴宪 xiang向项香祥翔湘 xiao肖萧小晓孝笑
  xie谢解 xin辛新欣鑫心昕 xing邢星兴幸 xiong熊雄 xiu秀修 xu徐许胥旭 xuan宣轩萱璇 xue薛雪学 xun荀勋 ya亚雅 yan颜严闫燕言岩艳彦妍炎
  yang杨阳羊洋扬 yao姚瑶尧耀 ye叶业 yi易伊益一义艺怡逸毅仪宜 yin尹殷银印 ying应英莹颖迎 yong雍永勇 you尤游友 yu于余俞虞喻宇玉雨语瑜昱裕
  yuan袁元远媛源苑 yue岳月悦越 yun云运芸 zai再 zan昝 zang臧 ze泽 zeng曾增 zha查 zhai翟 zhan詹展占 zhang张章彰 zhao赵兆昭 zhe哲喆
  zhen甄振真珍贞镇 zheng郑正政 zhi支志智芝知致之 zhong钟仲忠中 zhou周舟洲 zhu朱祝竹珠柱 zhuang庄 zhuo卓 zi子紫自 zong宗 zou邹 zu祖 zuo左佐
  heng恒 qiong琼 you优 nong农 cai财 zi资 sheng圣 gang纲冈 ma玛 sa萨 nuo诺 zhu诸 men门 dian电 xi习锡 ya娅 ao奥 feng枫 ye烨 yi亿 hua桦 zai载 xu绪 bai百 jin近 lie烈 yuan园 ting亭 xia峡 chang畅 shi师 jian见 qi其 ling领 wei为 zhong众 qing轻 ke珂 fu夫 bao豹 gen根 quan铨 yi懿 ci慈 lian联`

// biome-ignore format: a table is read by column
const traditional: Readonly<Record<string, string>> = {
  陳: '陈', 張: '张', 劉: '刘', 楊: '杨', 黃: '黄', 趙: '赵', 吳: '吴', 孫: '孙', 馬: '马', 葉: '叶', 蘇: '苏', 鄭: '郑', 謝: '谢', 許: '许',
  鄧: '邓', 馮: '冯', 蔣: '蒋', 羅: '罗', 國: '国', 華: '华', 東: '东', 龍: '龙', 偉: '伟', 強: '强', 麗: '丽', 軍: '军', 傑: '杰', 曉: '晓',
  賢: '贤', 學: '学', 澤: '泽', 錢: '钱', 韓: '韩', 盧: '卢', 蕭: '萧', 鍾: '钟', 鐘: '钟', 賴: '赖', 閻: '闫', 嚴: '严', 呂: '吕', 陸: '陆',
  莊: '庄', 顧: '顾', 龔: '龚', 賈: '贾', 鄒: '邹', 陽: '阳', 銘: '铭', 輝: '辉', 慶: '庆', 義: '义', 愛: '爱', 靜: '静', 寶: '宝', 榮: '荣',
  潔: '洁', 綺: '绮', 鳳: '凤', 鵬: '鹏', 紅: '红', 蘭: '兰', 雲: '云', 貴: '贵', 順: '顺', 進: '进', 遠: '远', 達: '达', 運: '运', 連: '连', 萬: '万', 葦: '苇',
  衛: '卫', 維: '维', 聰: '聪', 聖: '圣', 練: '练', 綱: '纲', 緒: '绪', 紹: '绍', 純: '纯', 紀: '纪', 競: '竞', 禮: '礼', 鄔: '邬', 畢: '毕', 產: '产', 環: '环', 瑩: '莹', 爾: '尔',
  燁: '烨', 煥: '焕', 溫: '温', 湯: '汤', 潤: '润', 滿: '满', 漢: '汉', 濤: '涛', 樹: '树', 樺: '桦', 業: '业', 權: '权', 曾: '曾', 時: '时', 會: '会', 昇: '升', 敵: '敌', 應: '应', 恆: '恒',
  巖: '岩', 岡: '冈', 屬: '属', 實: '实', 寧: '宁', 賓: '宾', 孝: '孝', 婭: '娅', 奧: '奥', 夢: '梦', 壽: '寿', 堅: '坚', 喬: '乔', 啟: '启', 單: '单', 勝: '胜', 勛: '勋', 勳: '勋', 剛: '刚', 凱: '凯',
  倫: '伦', 億: '亿', 儀: '仪', 優: '优', 傳: '传', 佘: '佘', 鎮: '镇', 鋼: '钢', 錦: '锦', 鐵: '铁', 長: '长', 門: '门', 閔: '闵', 開: '开', 關: '关', 雙: '双', 電: '电', 韋: '韦', 項: '项', 頡: '颉',
  飛: '飞', 饒: '饶', 駱: '骆', 鮑: '鲍', 魯: '鲁', 麥: '麦', 齊: '齐', 鴻: '鸿', 穎: '颖', 興: '兴', 書: '书', 貞: '贞', 財: '财', 賀: '贺', 資: '资', 趨: '趋', 車: '车', 軒: '轩', 載: '载', 農: '农', 鄺: '邝', 聶: '聂', 欒: '栾',
  藍: '蓝', 蔔: '卜', 蒼: '苍', 範: '范', 樂: '乐', 歐: '欧', 濱: '滨', 閆: '闫', 顏: '颜', 風: '风', 瓊: '琼', 瑋: '玮', 瑪: '玛', 蓮: '莲', 薩: '萨', 詩: '诗', 誠: '诚', 諾: '诺', 謙: '谦', 譚: '谭', 談: '谈', 諸: '诸', 楓: '枫', 靈: '灵',
}

const readingOf: ReadonlyMap<string, string> = new Map(
  readings
    .trim()
    .split(/\s+/)
    .flatMap((group) => {
      const [, reading = '', characters = ''] = /^([a-z]+)(.+)$/.exec(group) ?? []
      return Array.from(characters, (character) => [character, reading] as const)
    }),
)

/** Replaces each known character by its reading, as a word of its own. */
export function spellHanzi(text: string): string {
  if (!/\p{Script=Han}/u.test(text)) return text
  return Array.from(text, (character) => {
    const reading = readingOf.get(traditional[character] ?? character)
    return reading ? ` ${reading} ` : character
  }).join('')
}
